"""Labelled names of companies under another register's spelling, and the measurement of look-ups by them."""
