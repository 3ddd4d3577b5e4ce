"""Do-not-call registry as operators change it: records that are held follow.

Other packages import `service`; the store is private.
"""
