"""Seniority and departments from job titles, and their other spellings.

`derivation` derives both by the tables of `data/`, one for each language, and by a small model where no phrase decides;
`spellings` reads values of files. Every package above `directory` may import these two, `words` and `former`.
"""
