"""Roles of contacts in a purchase, from words of the title, seniority and departments.

A pure function of one table, `roles.toml`. `table.load_role_table` reads it; `personas` names the roles.
"""
