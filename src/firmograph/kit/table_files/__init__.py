"""Writers of tables as files: CSV, JSON Lines, Parquet and Excel, row by row in bounded memory.

Commands and exports import `columns` and `formats`.
"""
