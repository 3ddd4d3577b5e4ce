"""Accounts, their users and API keys, authentication and usage.

Other packages import `service`, `types`, `authentication` and `routes`; the store and tables are private.
"""
