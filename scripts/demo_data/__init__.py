"""What builds the demo data: one file for each kind of source."""
