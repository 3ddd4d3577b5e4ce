"""Buying groups: the contacts of companies with their roles in a purchase (docs/reference/buying-groups.md).

Other packages import `registration`; commands also import `service`.
"""
