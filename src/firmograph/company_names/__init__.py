"""Names of all companies in an index of the process, by which look-ups find a company under another spelling.

See docs/matching.md. Look-ups ask `current_names`; commands open the index by `factory`.
"""
