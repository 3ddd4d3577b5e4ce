"""Calls on columns: addition, removal and start of runs, with their endpoints."""
