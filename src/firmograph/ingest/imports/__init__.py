"""Imports as they are kept: each with what it changed, so that it can be taken back (docs/reference/import.md#undo).

Others import `runs` (the runs of imports, listed and shown) and `undo`.
"""
