"""Hiring surges: their detector, hiring locations and SQL of postings."""
