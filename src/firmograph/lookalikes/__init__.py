"""Lookalikes: contacts and companies that resemble a set of seeds (docs/reference/lookalikes.md).

Other packages import `routes`, `seeds`, `service` and `shapes` to answer over the same service; commands also import
`offline`. Its stores and tables are private.
"""
