"""Search, enrich, and search-and-enrich of contacts and companies (docs/reference/lookups.md)."""
