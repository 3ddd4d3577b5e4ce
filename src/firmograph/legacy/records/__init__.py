"""Records in the shapes of the legacy generation, from their stored profiles (docs/reference/legacy.md#records)."""
