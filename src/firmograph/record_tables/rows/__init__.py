"""Rows of tables: adding, removing and reading."""
