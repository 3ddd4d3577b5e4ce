"""Measurement of the local analyser of conversations."""
