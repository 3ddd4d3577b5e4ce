"""Dated figures of companies: their detectors and SQL."""
