"""Operator actions on tables, for the commands `firmograph table`; they see every table of an account.

The command line imports `table_actions` and `column_actions`.
"""
