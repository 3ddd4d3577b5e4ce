"""Count the files of the package that five everyday trips go through, and the moves between them.

    python scripts/count_trips.py            a table
    PYTHONPATH=OTHER/src python scripts/count_trips.py --json     the same of another state, to compare

A trip is a call or a command, done once before so that everything is loaded, and then watched. Files are those of
`firmograph` in which a function runs; a move is a call of a function from a function of another file. Processes that a
trip starts are not watched; background threads of the application may add a few files to a call.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from litestar.testing import TestClient
from rich.console import Console
from rich.table import Table

import firmograph
from firmograph.cli import main as command_line

PACKAGE = str(Path(firmograph.__file__).parent) + os.sep
DATABASE = "trips.db"
PEOPLE = [("Ada", "Lowe", "Sales Manager"), ("Ben", "Hart", "Sales Manager"), ("Cy", "Moor", "Sales Manager")]


class Trip(NamedTuple):
    """Files of the package that ran, and the moves between them."""

    files: int
    moves: int


class Watch:
    """Watcher of all threads that start after it."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._moves: Counter[str] = Counter()
        self._is_on = False
        threading.setprofile(self._saw)
        sys.setprofile(self._saw)

    def end(self) -> None:
        threading.setprofile(None)
        sys.setprofile(None)

    def _saw(self, frame: FrameType, event: str, _: Any) -> None:
        if not self._is_on or event != "call":
            return
        file = frame.f_code.co_filename
        if not file.startswith(PACKAGE):
            return
        self._files.add(file)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != file:
            self._moves[file] += 1

    @contextmanager
    def trip(self) -> Iterator[list[Trip]]:
        """Watch a block; the list has its trip afterwards."""
        self._files.clear()
        self._moves.clear()
        made: list[Trip] = []
        self._is_on = True
        try:
            yield made
        finally:
            self._is_on = False
            made.append(Trip(len(self._files), self._moves.total()))


class _Acknowledging(BaseHTTPRequestHandler):
    """Receiver of webhooks that takes everything."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps({"received": True, "webhookId": body["id"]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def run(*arguments: str) -> str:
    """Run a command in this process; return what it prints. Raises RuntimeError if it fails."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    sys.argv[:] = ["firmograph", "--database", f"sqlite:///{DATABASE}", *arguments]
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            command_line.run()
        except SystemExit as ended:
            code = ended.code
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    if code:
        raise RuntimeError(f"firmograph {' '.join(arguments)}: {texts[1]}")
    return texts[0]


def import_people(name: str, people: list[tuple[str, str, str]], day: str) -> None:
    rows = [
        {
            "sourceId": f"{first}-{last}",
            "firstName": first,
            "lastName": last,
            "jobTitle": {"title": title},
            "company": {"name": "Acme", "domain": "acme.example"},
            "emails": [f"{first}.{last}@acme.example"],
            "updateDate": day,
        }
        for first, last, title in people
    ]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("import", "contacts", name, "--source", "crm")


class Caller:
    """The API in this process, called with a key."""

    def __init__(self, client: Any, key: str) -> None:
        self._client = client
        self._headers = {"api_key": key, "content-type": "application/json"}

    def post(self, path: str, body: object) -> dict[str, Any]:
        answer = self._client.post(path, content=json.dumps(body), headers=self._headers)
        if answer.status_code >= 300:
            raise RuntimeError(f"{path}: {answer.text}")
        found: dict[str, Any] = answer.json()
        return found


@contextmanager
def service() -> Iterator[Caller]:
    from firmograph.bootstrap.application import create_app
    from firmograph.bootstrap.assembly import make_installation
    from firmograph.database.connection import Database
    from firmograph.settings import Settings

    database = Database(f"sqlite:///{DATABASE}")
    key = json.loads(run("key", "create", "--account", "acme", "--json"))["apiKey"]
    settings = Settings(allow_insecure_webhooks=True, lookalikes=False)
    # its log goes to the standard output, which is for the result
    with redirect_stdout(sys.stderr):
        app = create_app(make_installation(settings, database), background=False)
        with TestClient(app, base_url="https://trips.test") as client:
            yield Caller(client, key)
    database.close()


def trips(receiver: str) -> dict[str, Trip]:
    watch, found = Watch(), {}

    def take(name: str, first: Callable[[], object], second: Callable[[], object]) -> None:
        first()
        with watch.trip() as made:
            second()
        found[name] = made[0]

    import_people("people.jsonl", PEOPLE, "2026-01-01")
    run("account", "create", "acme", "--credits", "1000")
    run("user", "add", "--account", "acme", "dana@acme.example")
    with service() as api:
        people = api.post(
            "/v3/contacts/search", {"contacts": [{"email": f"{a}.{b}@acme.example"} for a, b, _ in PEOPLE]}
        )
        ids = [one["id"] for one in people["results"]]
        take(
            "enrich with a key",
            lambda: [api.post("/v3/contacts/enrich", {"ids": [id]}) for id in ids[:2]],
            lambda: api.post("/v3/contacts/enrich", {"ids": ids[2:]}),
        )
        api.post("/api/account/secret/regenerate", {})
        defaults = {"url": receiver, "entityType": "contact", "signalTypes": ["promotion"]}
        api.post(
            "/api/subscriptions",
            {"defaults": defaults, "subscriptions": [{"entityId": id} for id in ids[:2]]},
        )

    def promote(person: tuple[str, str, str], day: str) -> None:
        import_people("promoted.jsonl", [(person[0], person[1], "Chief Sales Officer")], day)

    promote(PEOPLE[0], "2026-02-01")
    run("worker", "--once")
    promote(PEOPLE[1], "2026-02-02")
    take("delivery of one signal", lambda: None, lambda: run("worker", "--once"))

    run(
        "table",
        "create",
        "people",
        "--account",
        "acme",
        "--owner",
        "dana@acme.example",
        "--entity",
        "contacts",
    )
    Path("rows.csv").write_text("email\nCy.Moor@acme.example\n")
    run("table", "add", "people", "--account", "acme", "rows.csv")
    run("table", "column", "add", "people", "workEmail", "--account", "acme")
    run("worker", "--once")
    run("table", "run", "people", "workEmail", "--account", "acme")
    take("run of one cell", lambda: None, lambda: run("worker", "--once"))

    new = [("Di", "Page", "Engineer"), ("Ed", "Rook", "Engineer")]
    take(
        "import of a row",
        lambda: import_people("first.jsonl", new[:1], "2026-01-01"),
        lambda: import_people("second.jsonl", new[1:], "2026-01-01"),
    )
    take(
        "suppression of one person",
        lambda: run("suppress", "--email", "Di.Page@acme.example"),
        lambda: run("suppress", "--email", "Ed.Rook@acme.example"),
    )
    watch.end()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.environ["FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS"] = "true"
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Acknowledging)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = trips(f"http://127.0.0.1:{server.server_port}/")
        os.chdir("/")
    server.shutdown()
    if options.json:
        print(json.dumps({name: trip._asdict() for name, trip in found.items()}))
        return
    table = Table("trip", "files", "moves")
    for name, trip in found.items():
        table.add_row(name, str(trip.files), f"{trip.moves:,}")
    Console().print(table)


if __name__ == "__main__":
    main()
