"""Likeness of company names, for look-ups where no key is equal (docs/matching.md).

`spellings` reduces names to words, `name_index` holds the names and finds those alike, `choice` scores
them and decides.
"""
