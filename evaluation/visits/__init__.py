"""Quality of the score of website visits on sessions of a shop."""
