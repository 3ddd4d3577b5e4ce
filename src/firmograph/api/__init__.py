"""Shared HTTP layer of all endpoints: dispatch, strict decoding, error bodies, OpenAPI document.

Feature packages import `endpoint`, `envelope`, `descriptions` and `suggestions`; the application imports the rest.
"""
