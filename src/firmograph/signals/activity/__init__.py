"""Activity of records for filters: its compiler, JSON structures and SQL."""
