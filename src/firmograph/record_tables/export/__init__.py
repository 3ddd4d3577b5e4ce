"""Export of record tables to files: CSV, JSON Lines and Parquet.

The command line imports `formats` and `table_export`.
"""
