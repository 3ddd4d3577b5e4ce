"""Signals: what changed at a person or a company, when, and how it was noticed (docs/reference/signals.md)."""
