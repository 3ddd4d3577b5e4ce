"""Legacy API: older request and response shapes over the same services (docs/reference/legacy.md).

No other package imports it.
"""
