"""Prospecting: finding contacts and companies by what is known of them (specification 4.3)."""
