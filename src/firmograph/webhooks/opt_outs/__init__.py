"""Opt-out notices to accounts that saw the data of a suppressed person.

Erasure imports `service`; the store is private.
"""
