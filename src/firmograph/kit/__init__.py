"""General-purpose helpers without knowledge of any feature, one per module.

Every package may import all of it.
"""
