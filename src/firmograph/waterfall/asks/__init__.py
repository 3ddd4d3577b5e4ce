"""Asks of providers: choice of the next one, claims, credits, answers, and their statements."""
