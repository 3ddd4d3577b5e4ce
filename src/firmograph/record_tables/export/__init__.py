"""Export of record tables to files.

The command line imports `layout` and `table_export`.
"""
