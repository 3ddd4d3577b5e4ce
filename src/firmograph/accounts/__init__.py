"""Accounts, their users and API keys, authentication and usage.

Other packages import `service`, `types`, `keys`, `authentication`, `routes`, `request_counts`, `usage_report` and
`usage_push`; stores and tables are private.
"""
