"""Prospecting: search for contacts and companies by filters (docs/reference/prospecting.md).

The application imports `service`, `routes`, `discovery.service`, `indexing.active_engine` and the follower of an
engine; commands ask `engines.memory` without a server.
"""
