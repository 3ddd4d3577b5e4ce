"""Search, enrich, and search-and-enrich."""
