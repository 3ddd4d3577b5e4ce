"""Deletion lists as operators apply them: the people that they name go.

Other packages import `service`; the store is private.
"""
