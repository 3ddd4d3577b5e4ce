"""In-process search engine: Roaring bitmaps over fields and values.

An indexed record is a *document*, numbered in order of arrival. A changed record becomes a new document and its old
document is marked dead, so an update need not know the previous values and results stay exact. Only the company
fields denormalised onto contacts change in place.
"""
