"""Recommendations: lookalikes in the legacy generation (docs/reference/legacy.md#recommendations)."""
