"""Backups: a database and its keys in one file, and back, without anybody who was kept out since coming back."""
