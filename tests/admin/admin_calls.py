"""Calls of `/admin` with an operator's key."""

from typing import Any

import httpx


class Operator:
    """Program with an operator's key."""

    def __init__(self, client: httpx.Client, key: str) -> None:
        self.client = client
        self.headers = {"operator_key": key}

    def call(
        self, method: str, path: str, body: object = None, idempotency_key: str | None = None
    ) -> httpx.Response:
        repeated = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        headers = {**self.headers, **repeated}
        return self.client.request(method, f"/admin/{path}", json=body, headers=headers)

    def data(self, method: str, path: str, body: object = None, idempotency_key: str | None = None) -> Any:
        """Return `data` of an answer, which must be a success."""
        answer = self.call(method, path, body, idempotency_key)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()["data"]
