"""Search engines behind one port, and the query, document and field definitions that they share.

Other parts of `prospecting` import `port`, `query`, `document` and `fields`, never an engine.
"""
