"""Backup, restore and copy of a database with its keys (docs/reference/backup.md).

A restore never brings back people who were erased, or keys that were revoked, since the backup. Commands import
`service` and `archive`.
"""
