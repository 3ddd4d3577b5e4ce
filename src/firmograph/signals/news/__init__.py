"""News: detection of the 26 events in articles, with sentence and companies.

See docs/reference/signals.md#news. The feed of news imports `rules` and `summary`.
"""
