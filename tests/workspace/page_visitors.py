"""Visitors of the pages: a browser's cookies and headers, without JavaScript."""

import re
from html import unescape

import httpx

ORIGIN = "https://firmograph.test"
PASSWORD = "a long enough password"


class Visitor:
    """Browser of one person, who follows no link by itself."""

    def __init__(self, service):
        from litestar.testing import TestClient

        self.service = service
        # cookies of its own, on the application that the module shares
        self.client = TestClient(service.app, base_url=ORIGIN)
        self.client.follow_redirects = False

    def get(self, path="", **headers) -> httpx.Response:
        return self.client.get(f"/workspace{path}", headers={"accept": "text/html", **headers})

    def post(self, path, fields=None, *, token=None, **headers) -> httpx.Response:
        """Send a form as a page of this server does; `token` replaces the session's."""
        sent = {"sec-fetch-site": "same-origin", **headers}
        form = {"form_token": self.form_token() if token is None else token, **(fields or {})}
        return self.client.post(f"/workspace{path}", data=form, headers=sent)

    def form_token(self) -> str:
        found = re.search(r'name="form_token" value="([^"]*)"', self.get("/login").text)
        return found[1] if found else ""

    def sign_in(self, email, password=PASSWORD, **fields) -> httpx.Response:
        return self.post("/sign-in", {"email": email, "password": password, "next": "/workspace", **fields})


def text_of(response) -> str:
    """Return the words of a page."""
    body = re.sub(r"<(script|style).*?</\1>", " ", response.text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def link_in(response) -> str:
    """Return the path below `/workspace` of the one-time link that a page shows."""
    return re.search(r"/workspace(/link/[\w-]+)", response.text)[1]
