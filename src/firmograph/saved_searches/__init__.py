"""Searches that users of an account save on the pages, for themselves or for the account.

Other packages may import `service`.
"""
