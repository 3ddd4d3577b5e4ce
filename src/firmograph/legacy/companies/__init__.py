"""Companies by identifiers, in the legacy generation (docs/reference/legacy.md#companies)."""
