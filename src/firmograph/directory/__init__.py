"""Contacts and companies: records, vocabularies, normalisation, matching, identity keys, lookup, tables.

Other packages import everything but `tables`; `store` reads records for all of them.
"""
