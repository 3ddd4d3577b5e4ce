"""How well news are read: events, filings by item code, names of companies."""
