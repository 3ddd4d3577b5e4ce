"""Commands of lookalikes."""
