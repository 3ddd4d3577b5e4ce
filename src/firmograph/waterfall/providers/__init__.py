"""Providers of the data waterfall: the interface (`types`), and the kinds that the providers file can name."""
