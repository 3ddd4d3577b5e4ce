"""Posts: their analysis, topics and SQL."""
