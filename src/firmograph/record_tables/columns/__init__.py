"""Columns of tables: catalogs, kinds of columns and what they compute, adding and removing."""
