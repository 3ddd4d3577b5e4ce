"""Prospecting: search for contacts and companies by filters (docs/reference/prospecting.md)."""
