"""Commands of tables."""
