"""Prospecting in the legacy generation: search, enrich, and filter values (docs/reference/legacy.md#prospecting)."""
