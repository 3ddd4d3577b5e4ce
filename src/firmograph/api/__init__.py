"""Shared HTTP layer of all endpoints: dispatch, strict decoding, error bodies, OpenAPI document.

Routes, shapes, answers and wiring of packages import it; services know nothing of it.
"""
