"""Filter discovery: the values that each filter offers, with counts and suggestions.

Only the routes of `prospecting` import it.
"""
