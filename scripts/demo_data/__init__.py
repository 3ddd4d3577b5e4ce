"""The builder of the demo data: one module for each kind of source."""
