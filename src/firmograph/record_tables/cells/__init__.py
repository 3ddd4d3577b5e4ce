"""Storage of cells by chunk; the grid changes them together with all counters.

Other modules of the package import `grid` and `chunk`.
"""
