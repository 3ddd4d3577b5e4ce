"""The keyring, record ids and encryption of stored secrets.

Every package may import all of it; nothing here knows a feature.
"""
