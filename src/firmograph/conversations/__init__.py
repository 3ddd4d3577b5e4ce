"""Recorded sales conversations of an account: import, analysis, search, transcripts (specification 2.8, 2.9, 4.5)."""
