"""Prospecting: search for contacts and companies by filters (docs/reference/prospecting.md).

Commands and the application choose an engine by `engines.registry`.
"""
