"""Similarity model: attributes of records, and vectors learnt from which attributes stand together.

The rest of lookalikes and the commands import `attributes`, `similarity_model`, `learning` and `training`; the
evaluation also imports `weights`. The store is private.
"""
