"""Articles: which of the 26 events they tell of, in which sentence, of which companies.

See docs/reference/signals.md#news.
"""
