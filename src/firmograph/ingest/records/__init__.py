"""Rows as canonical records: decoding, normalisation, keys and versions.

Other parts of `ingest` import `preparation` and `prepared_rows`; nothing here opens a database.
"""
