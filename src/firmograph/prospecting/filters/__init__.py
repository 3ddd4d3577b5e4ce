"""Filters of requests compiled to engine queries.

Other parts of `prospecting` import `requests` and `compiler`.
"""
