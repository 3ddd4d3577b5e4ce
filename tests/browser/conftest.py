"""A real browser: Debian's chromium, driven by Playwright; without one of them the tests are skipped."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from shutil import which

import pytest

CHROMIUM = which("chromium")
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)
"""Ordinary browser: a headless one names itself a bot."""


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed; `make test-browser` installs it"
    )
    if CHROMIUM is None:
        pytest.skip("chromium is not installed. On Debian: apt-get install chromium")
    with playwright.sync_playwright() as started:
        # root may not use its sandbox; an agent that a window sets is not that of its last messages
        arguments = ["--no-sandbox", f"--user-agent={AGENT}"]
        browser = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


class PageServer(ThreadingHTTPServer):
    """Website on a port of its own, the same page at every path."""

    def __init__(self, page: str) -> None:
        super().__init__(("127.0.0.1", 0), _PageHandler)
        self.page = page.encode()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self.server_address[1]


class _PageHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(self.server.page)))
        self.end_headers()
        self.wfile.write(self.server.page)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def serve_page():
    """Return a function that serves a page on a port of its own."""
    servers = []

    def serve(page: str) -> PageServer:
        servers.append(PageServer(page))
        return servers[-1]

    yield serve
    for one in servers:
        one.shutdown()
        one.server_close()
