"""Composition root: builds the parts of an installation once, for the application, the commands and the tests.

The command line imports `assembly`, `application`, `background`, `keyring` and `packages`, which lists the packages.
"""
