"""News: detection of the 26 events in articles, with sentence and companies.

See docs/reference/signals.md#news.
"""
