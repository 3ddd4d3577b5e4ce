"""Analysis of a transcript: a local analyser and one that asks a model's endpoint, with one result."""
