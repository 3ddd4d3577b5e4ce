"""Deletion lists as operators apply them: the people whom they name go.

Other packages import `service`; the store is private.
"""
