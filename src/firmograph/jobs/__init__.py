"""Periodic jobs of an installation, each done by one worker at a time.

Other packages import `scheduler` and `periodic_jobs`; the store and table are private.
"""
