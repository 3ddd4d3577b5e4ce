"""Prospecting: search for contacts and companies by filters."""
