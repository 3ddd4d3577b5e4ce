"""The change sequence of records, read in batches as documents for a search engine.

Engines import `change_batches` and `active_engine`; the store is private.
"""
