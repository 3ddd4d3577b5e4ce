"""Dated facts about companies from which signals are detected: one file a kind (decisions F, Files)."""
