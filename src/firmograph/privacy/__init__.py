"""Suppressed people: the list, its file format and its lookups.

Other packages import `suppression` and `suppression_file`; the store is private.
"""
