"""Accounts, users, keys, plans and prices, the ledger, rate limits, suppression."""
