"""Legacy API: older request and response shapes over the same services."""
