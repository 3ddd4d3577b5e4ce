"""Search, enrich, and search-and-enrich of contacts and companies (docs/reference/lookups.md).

Other packages import `lookup`, `identifiers` and `shapes`; the application imports `service` and `routes`.
"""
