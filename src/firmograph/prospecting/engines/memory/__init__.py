"""The search engine in this process: Roaring bitmaps over fields and values.

A record of the index is a *document* with a number of its own, given in the order in which records came. A changed
record becomes a new document and its old one is dead; so nothing needs to know what a record held before, and the
answers stay exact. Values carried from companies to their contacts are the one thing that changes in place.
"""
