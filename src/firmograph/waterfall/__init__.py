"""Data waterfall: data points that other providers find for contacts who lack them.

Other packages import `providers.types`, the interface of a provider, and `providers.loading`.
"""
