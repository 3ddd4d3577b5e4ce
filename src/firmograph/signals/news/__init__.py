"""Articles: which of the 26 events they tell of, in which sentence, of which companies (specification 4.5)."""
