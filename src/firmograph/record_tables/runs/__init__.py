"""Runs of columns: acceptance, claimed work in parts, charges and their end."""
