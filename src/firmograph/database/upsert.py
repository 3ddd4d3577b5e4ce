"""`INSERT ... ON CONFLICT` for both databases: SQLite has taken the clause from PostgreSQL."""

from sqlalchemy.dialects.postgresql import insert

__all__ = ["insert"]
