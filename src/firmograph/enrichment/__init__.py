"""Search, enrich, and search-and-enrich of contacts and companies (docs/reference/lookups.md).

Other packages import `item_queries`, `ownership`, `record_renderer` and `shapes`, and `service` to ask an installation
for it.
"""
