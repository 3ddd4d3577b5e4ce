"""Legacy API: older request and response shapes over the same services (docs/reference/legacy.md).

The application imports `signals`, `signal_routes` and `identified`.
"""
