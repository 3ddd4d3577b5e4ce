"""Prepared rows written as records: identity, source history, merging, splits and linking.

`ingest.service` and the feeds import `companies` and `contacts`; the stores are private.
"""
