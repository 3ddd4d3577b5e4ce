"""Shared HTTP layer of all endpoints: dispatch, strict decoding, error bodies, OpenAPI document.

Routes, shapes, answers and registrations of packages import it; services know nothing of it.
"""
