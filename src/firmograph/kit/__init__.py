"""Small things with plain names, one file each; nothing here knows what the service is about."""
