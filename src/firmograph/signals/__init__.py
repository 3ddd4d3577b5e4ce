"""Signals: dated changes of contacts and companies, their detectors, storage and endpoints.

See docs/reference/signals.md.
"""
