"""General-purpose helpers without knowledge of any feature, one per module."""
