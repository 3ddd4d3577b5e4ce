"""`firmograph privacy`: a person in every place is found, exported and erased while a server runs."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import msgspec
import psycopg
import pytest
from declaration_checks import check_erased, traces
from planted_identity import PERSON, contains_person
from planted_person import PERSONAL_DATA, PlantedInstallation
from planted_workspace import remove_members
from psycopg import sql
from taken_out import ERASERS, NOTICES, PERSONAL_TABLES, without_effect

import database_fixtures
from command_fixtures import InProcess
from firmograph.database.connection import Database
from firmograph.database.postgresql import library_url
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.installation import Installation
from firmograph.lookalikes.index.index_kind import SIMILARITY
from record_factory import KEYRING
from server_fixtures import Server, free_port

_OF_LATER = {"suppressions", "operator_actions"}
"""Tables that only commands about the person fill, and keep as keyed hashes."""
_SEARCH = {"filters": {"contacts": {"include": {"names": [PERSON.name]}}}, "pages": {"page": 0, "size": 10}}
_numbers = count(1)


class Journey:
    """Served installation with the planted person, and commands on it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.database = Database(url)
        self.folder = folder
        self.command = InProcess(folder, url)
        self._write_keys()
        self._planted = PlantedInstallation(url)
        self.keys = self._planted.people().keys
        self._run("index")
        Checkpoints(SIMILARITY, self.database, str(folder)).renew()
        self.key = json.loads(self._run("key", "create", "--account", "Acme", "--json"))["apiKey"]
        self.server = Server(self.command, free_port(), "--no-worker")
        self.server.wait_until_ready()
        self.server.wait_until_searchable(1)
        self.server.wait_until_comparable(1)

    def _write_keys(self) -> None:
        key_file = self.folder / f"{self.database.companion.name}.keys"
        key_file.write_bytes(msgspec.json.encode(KEYRING))
        key_file.chmod(0o600)

    def _run(self, *words: str) -> str:
        done = self.command(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def call(self, path: str, body: object, **headers: str) -> httpx.Response:
        given = {"api_key": self.key, **headers}
        return httpx.post(f"{self.server.url}{path}", json=body, headers=given, timeout=60)

    def show(self) -> None:
        """Let callers see the person, so that all that the server keeps is filled."""
        body = {"ids": [PERSON.id]}
        answer = self.call("/v3/contacts/enrich", body, **{"Idempotency-Key": "shown"})
        assert PERSON.email in answer.text, answer.text

    def find(self) -> set[str]:
        """Return the tables in which the person is found."""
        (found,) = json.loads(self._run("privacy", "find", "--email", PERSON.email, "--json"))["people"]
        return {table for place in found["places"] for table in place["tables"]}

    def export(self, *options: str) -> bytes:
        return self._run("privacy", "export", "--email", PERSON.email, *options).encode()

    def erase(self) -> dict[str, object]:
        """Erase the person, who is no member of an account any more, as these stay."""
        remove_members(self.database)
        found: dict[str, object] = json.loads(
            self._run("privacy", "erase", "--email", PERSON.email, "--yes", "--json")
        )
        return found

    def remains(self) -> list[str]:
        """Return the files and columns that still show the person, and whether nobody was notified."""
        rows = list(self._planted.rows())
        is_notified = any(table == "deliveries" and row["signal_id"] is None for table, row in rows)
        return [
            *check_erased(traces(rows, self.keys), PERSONAL_DATA),
            *self.files(),
            *([] if is_notified else ["no notice"]),
        ]

    def files(self) -> list[str]:
        """Return the files that show the person: of the installation, and of tables and indexes of a server."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        if not database_fixtures.EMBEDDED:
            files += self._server_files()
        return [path.name for path in files if contains_person(path.read_bytes())]

    def _server_files(self) -> list[Path]:
        """Return the files of all tables and indexes, once no dead row is left in them."""
        with psycopg.connect(library_url(self.database.url), autocommit=True) as raw:
            names = [name for (name,) in raw.execute("SELECT relname FROM pg_class WHERE relkind = 'r'")]
            with raw.cursor() as cursor:
                cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
                for (name,) in cursor.fetchall():
                    cursor.execute(sql.SQL("VACUUM FULL {}").format(sql.Identifier(name)))
                cursor.execute("CHECKPOINT")
                cursor.execute("SHOW data_directory")
                folder = Path(cursor.fetchall()[0][0])
                cursor.execute(
                    "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't') AND relname <> ''"
                )
                paths = [folder / path for (path,) in cursor.fetchall() if path]
        assert names
        return [file for path in paths for file in path.parent.glob(f"{path.name}*")]

    def close(self) -> None:
        self.server.stop()
        self._planted.database.close()
        self.database.close()
        database_fixtures.drop(self.database.url)


@pytest.fixture
def begin(filled, tmp_path, monkeypatch) -> Iterator[type[Journey]]:
    """Return a function that serves a copy of the filled database."""
    monkeypatch.chdir(tmp_path)
    begun: list[Journey] = []

    def make() -> Journey:
        url = database_fixtures.copy(filled, tmp_path, f"journey{next(_numbers)}")
        begun.append(Journey(url, tmp_path))
        return begun[-1]

    yield make
    for each in begun:
        each.close()


@pytest.mark.slow("erasure under a server", "privacy", "cli", "database", "indexing")
def test_a_person_in_every_place_is_found_exported_and_erased_from_every_file_and_column(begin):
    journey = begin()
    journey.show()
    names = {table.table.name for table in PERSONAL_TABLES}
    assert journey.find() == names - {"suppressions"}
    exported = json.loads(journey.export())
    (person,) = exported["people"]
    assert {table for place in person["places"] for table in place["tables"]} == names - {"suppressions"}
    kinds = {each["kind"] for each in person["recipients"]}
    assert kinds == {"account", "partner", "receiver", "provider"}
    assert len(journey.remains()) > len(names) / 2
    anonymous = journey.export("--recipients", "categories").decode()
    assert {each["kind"] for each in json.loads(anonymous)["people"][0]["recipients"]} == kinds
    assert "hooks.example.com" in journey.export().decode()
    assert not any(name in anonymous for name in ('"account":"Acme"', "hooks.example.com", '"partner":"'))
    before = journey.files()
    assert any(name.endswith(".search") for name in before)
    assert len(before) > 1

    erased = journey.erase()
    assert erased["erased"] is True
    assert erased["keeping"] == []
    assert journey.remains() == []
    assert journey.find() == _OF_LATER
    answer = journey.call("/v3/contacts/enrich", {"ids": [PERSON.id]}, **{"Idempotency-Key": "shown"})
    assert not contains_person(answer.content), answer.text
    # the server has closed nothing: what it writes from now on has nothing of the person either
    journey.server.stop()
    assert journey.remains() == []


@pytest.mark.slow("erasure without an eraser", "privacy")
@pytest.mark.parametrize(("package", "field", "number"), [*ERASERS, *NOTICES])
def test_an_eraser_that_is_taken_out_is_found_under_a_server(begin, monkeypatch, package, field, number):
    journey = begin()
    declarations = without_effect(package, field, number)
    monkeypatch.setattr(Installation, "personal_data", property(lambda installation: declarations))
    journey.erase()
    assert journey.remains()


def test_every_kind_of_packing_is_searched():
    import gzip
    import zlib

    import pyarrow

    text = f"before {PERSON.name.upper()} after" * 5
    packed = [
        gzip.compress(text.encode()),
        zlib.compress(text.encode(), 1),
        zlib.compress(gzip.compress(text.encode("utf-16"))),
        pyarrow.compress(text.encode(), "zstd", asbytes=True),
        msgspec.msgpack.encode({"name": text}),
        text.encode("utf-16-be"),
        f"+1 {PERSON.phone}".encode(),
    ]
    for each in packed:
        assert contains_person(b"\0\x78\x9c" + each + b"end"), each
    assert not contains_person(gzip.compress(b"somebody else") + b"\x28\xb5\x2f\xfd")
