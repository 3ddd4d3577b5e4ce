"""Hashed deletion lists: keyed digests of hashes that people had sent to data brokers.

Other packages ask `listed_hashes`, and read lists by `list_file`; store and tables are private.
"""
