"""Finder of names of companies and people in sentences, without any list of companies.

Other packages import `mentions`, `people`, `sentences`, `spans`, `kinds` and `table`.
"""
