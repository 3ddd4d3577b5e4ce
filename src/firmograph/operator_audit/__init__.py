"""Audit of what operators did: who, when, to which object; rows are only ever added.

Other packages import `service`; the store and tables are private.
"""
