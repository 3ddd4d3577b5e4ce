"""Quality of news reading: events, filings by item code, names of companies."""
