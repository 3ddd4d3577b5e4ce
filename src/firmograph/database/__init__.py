"""Connections and sessions of SQLite and PostgreSQL, with what both need for bulk work and leases.

Every package that keeps rows imports `connection`; `schema` and `migrations` serve start-up and the operator.
"""
