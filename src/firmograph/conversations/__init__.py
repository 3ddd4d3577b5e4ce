"""Conversations of accounts: import, word index, analysis and search (docs/reference/conversations.md).

Other packages import `service`, `importing` and `transcript`; its stores and tables are private.
"""
