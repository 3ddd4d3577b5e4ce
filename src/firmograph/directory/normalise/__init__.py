"""Normalisation of values to the form that records store and match, one module per kind of value.

Every package above `directory` may import all of it.
"""
