"""Do-not-call registry: keyed digests of telephone numbers.

Other packages ask `registry`, and read lists by `number_file`; store and tables are private.
"""
