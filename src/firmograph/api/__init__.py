"""Shared HTTP layer of all endpoints: dispatch, strict decoding, error bodies, OpenAPI document."""
