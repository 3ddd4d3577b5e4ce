"""Labelled job titles, and how well seniority and department are derived from them."""
