"""Management of accounts over HTTP at `/admin`, for programs with an operator's key.

Other packages import `operator_keys` and `authentication`; the store and tables are private.
"""
