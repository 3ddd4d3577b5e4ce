"""Buying groups: the contacts of companies with their roles in a purchase (docs/reference/buying-groups.md).

Commands import `service` and `ranking`.
"""
