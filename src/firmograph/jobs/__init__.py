"""Upkeep: what has to be done regularly, by whichever worker is there."""
