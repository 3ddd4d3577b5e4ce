"""Imports with their changes, so that each can be taken back (docs/reference/import.md#undo).

Others import `runs` (the runs of imports, listed and shown) and `undo`.
"""
