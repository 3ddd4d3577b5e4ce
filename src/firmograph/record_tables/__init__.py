"""Tables of records with columns of enrichment.

Others import `table_write`; the command line imports the services, `given_names`, `shapes` and `export`.
"""
