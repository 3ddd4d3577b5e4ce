"""Accounts, API keys, plans, credits, rate limits and suppression."""
