"""Finding records by identifiers that requests name (docs/reference/lookups.md#identifiers).

Features pass values and the path that refusals name. They import `identifiers` (kinds and lists), `identifier_lookup`
(all records of lists), `queries` (items) and `record_lookup` (the one record of each item).
"""
