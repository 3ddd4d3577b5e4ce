"""Similarity index: the vectors of all records in lists, and the search for those nearest to seeds.

The rest of lookalikes and the commands import `factory`, `index_kind` and `similarity_index`.
"""
