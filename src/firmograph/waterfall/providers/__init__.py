"""Providers of the data waterfall, as the operator's file names them (docs/reference/providers-file.md).

Other packages import `types`, the interface of a provider, and `loading`, which reads the file.
"""
