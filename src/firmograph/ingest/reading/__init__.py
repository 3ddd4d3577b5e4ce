"""Reading of files as rows: formats, encodings, compression, tables and column mapping.

Other parts of `ingest` import `readers`, `mapping`, `row_layout` and the cell helpers.
"""
