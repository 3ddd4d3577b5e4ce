"""Contacts and companies: records, vocabularies, normalisation, matching, identity keys, tables.

Other packages import everything but `store` and `tables`, which are private.
"""
