"""Signals: dated changes of contacts and companies, their detectors, storage and endpoints.

See docs/reference/signals.md. Other packages import `types`, `events`, `event_renderer`, `activity` and the detectors;
imports of its stores are the listed exceptions.
"""
