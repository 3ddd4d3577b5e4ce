"""Signal score: how active a contact or a company is, as one figure from 0 to 1 (docs/reference/signal-score.md)."""
