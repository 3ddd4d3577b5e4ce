"""Demonstration: loads packaged data, serves them, and shows answers of the API.

Only `cli.main` imports it, its `commands`.
"""
