"""Signals: what changed at a person or a company, when, and how it was noticed (specification 4.5, decisions F)."""
