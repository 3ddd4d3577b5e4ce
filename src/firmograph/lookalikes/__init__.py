"""Lookalikes: contacts and companies that resemble a set of seeds (docs/reference/lookalikes.md).

Other packages import `registration`; commands also import `offline`. Its stores and tables are private.
"""
