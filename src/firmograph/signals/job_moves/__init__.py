"""Job moves of contacts: their detector, ranks of titles and SQL."""
