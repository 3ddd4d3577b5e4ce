"""Normalisation of values to the form that records store and match."""
