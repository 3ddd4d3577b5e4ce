"""Deletion from tables: people who are erased, and what deleted tables and columns leave behind."""
