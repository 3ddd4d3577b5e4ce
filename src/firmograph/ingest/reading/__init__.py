"""Files as rows: formats, encodings, compression, tables, and columns mapped to fields.

Other parts of `ingest` import `readers`, `mapping`, `row_layout` and the cell helpers.
"""
