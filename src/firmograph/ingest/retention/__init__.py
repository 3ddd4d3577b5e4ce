"""Retention of contacts: those that complete imports of all their sources have lacked for long.

Other packages import `sightings` and `service`; store and tables are private.
"""
