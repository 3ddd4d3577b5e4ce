"""Subscriptions of an account: creation, changes, views and their endpoints.

The application imports `routes` and `service`; the store is private.
"""
