"""Firmograph: a self-hosted business contact and company data service."""

__version__ = "0.1.0"
