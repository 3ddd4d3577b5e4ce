"""A directory with signals, and an account that calls it with `tableId`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from table_users import TableUser, new_account

import database_fixtures
from firmograph.billing import ledger
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.records import Company, Contact
from firmograph.indexing import store as index_store
from firmograph.kit.clock import SetClock
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.record_tables.cells.chunk import CellChunk, place_of
from firmograph.record_tables.cells.store import select_cells, select_positions
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.ids import TableIds
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings
from index_fixtures import is_applied
from record_factory import KEYRING, load_companies, load_contacts
from server_fixtures import Service
from signal_factory import put_detected

RECORDS: Final = 12
SIGNAL_TYPES: Final = {"contacts": ["promotion"], "companies": ["headcountIncrease3m", "itSpendIncrease"]}
_ENTITIES: Final = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}

NOTHING: Final = {
    "added": 0,
    "alreadyPresent": 0,
    "columnsCreated": 0,
    "rowsProcessed": 0,
    "rowsCharged": 0,
    "rowsAlreadyPaidInTable": 0,
    "creditsCharged": 0,
}
"""Counts of a write that wrote nothing."""


def _company(number: int) -> Company:
    return msgspec.convert(
        {
            "name": f"Company {number}",
            "domain": f"company{number}.example.com",
            "industry": "Manufacturing",
            "technologies": ["Kubernetes"],
            "employeesByDepartment": [{"department": "Sales", "count": number + 1}],
        },
        Company,
    )


def _person(number: int) -> Contact:
    return msgspec.convert(
        {
            "firstName": "Ann",
            "lastName": f"Example{number}",
            "fullName": f"Ann Example{number}",
            "jobTitle": {"title": "Head of Sales", "departments": ["Sales"], "seniority": "Director"},
            "location": {"country": "Germany", "countryIso2": "DE"},
            "emails": [{"email": f"ann{number}@people.example.com", "type": "work"}],
            "phones": [{"number": f"+1202555{number:04}", "type": "mobile", "doNotCall": number == 0}],
            "company": {"name": f"Company {number}", "domain": f"company{number}.example.com"},
        },
        Contact,
    )


def load(database: Database) -> None:
    """Load records, numbered from 1 in both kinds, and signals of the first of them."""
    load_companies(database, "test", [(f"c{number}", _company(number)) for number in range(RECORDS)])
    load_contacts(database, "test", [(f"p{number}", _person(number)) for number in range(RECORDS)])
    put_detected(database, Entity.COMPANY, (1, "headcountIncrease3m", "2026-05-01"))
    put_detected(database, Entity.COMPANY, *((2, "itSpendIncrease", f"2026-05-{day:02}") for day in (1, 2)))


@contextmanager
def served(folder: Path, **settings: Any) -> Iterator[Service]:
    """Return the service over the directory, all indexed."""
    database = Database(database_fixtures.fresh(folder))
    load(database)
    service = Service(database, KEYRING, SetClock(), Settings(search_folder=str(folder), **settings))
    with service.client:
        head = index_store.head(service.database.session())
        for index in (ServedSearch, ServedSimilarity):
            assert is_applied(service.installation.get(index).active, head, 60)
        yield service
    database.close()
    database_fixtures.drop(database.url)


class TableCaller:
    """User of a new account who calls with and without `tableId`."""

    def __init__(self, service: Service, kind: str = "contacts", **account: Any) -> None:
        (self.user,) = new_account(service, "dana@acme.example", **account)
        self.service = self.user.service
        self.account_id = self.user.account_id
        self.kind = kind
        self.tables: TableUser = self.user.of_kind(kind)

    def table(self, name: str = "Results") -> str:
        return self.tables.table(name)["tableId"]

    def status(self, table_id: str) -> dict[str, Any]:
        return self.tables.get(table_id).json()["data"]

    def post(self, call: str, body: Mapping[str, Any], table_id: str | None = None, **headers: str):
        """Call a path of the kind of records."""
        named = body if table_id is None else {**body, "tableId": table_id}
        return self.service.post(f"/v3/{self.kind}/{call}", named, key=self.user.key, **headers)

    def answer(self, call: str, body: Mapping[str, Any], table_id: str | None = None, **headers: str):
        answer = self.post(call, body, table_id, **headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ids(self, *places: int) -> list[str]:
        """Return the ids of records by their place in the directory."""
        entity = _ENTITIES[self.kind]
        return [self.service.installation.record_ids.seal(entity, place + 1) for place in places]

    def enrich(
        self, *places: int, table_id: str | None = None, reveal: list[str] | None = None, **headers: str
    ):
        body = {"ids": self.ids(*places), **({"reveal": reveal} if reveal else {})}
        return self.answer("enrich", body, table_id, **headers)

    def balance(self) -> int:
        with self.service.database.read() as session:
            return ledger.balance(self._own(session)).remaining

    def ledger(self) -> list[tuple[str, int, str, str]]:
        """Return action, credits, request and subject of each charge."""
        entries = [one for _, one in self.service.accounts.ledger(self.user.account)]
        return [
            (one.action, one.credits, one.request_id, one.subject) for one in entries if one.kind == "charge"
        ]

    def cells(self, table_id: str) -> dict[int, dict[str, tuple[str, Any]]]:
        """Return status and value of the cells by record number, in the order of rows, and column name."""
        with self.service.database.read() as session:
            return _cells(self._own(session), self.service.installation.get(TableIds), table_id)

    def _own(self, session: Session) -> AccountSession:
        return AccountSession(session, self.account_id)


def _cells(own: AccountSession, ids: TableIds, table_id: str) -> dict[int, dict[str, tuple[str, Any]]]:
    number = ids.open_table(table_id)
    assert number is not None
    columns = column_store.select_columns(own, number)
    positions = select_positions(own, number, range(RECORDS + 2))
    places = {
        record: place_of(position) for record, position in sorted(positions.items(), key=lambda one: one[1])
    }
    stored = {
        (one.column_id, one.chunk): CellChunk(*one[2:])
        for one in select_cells(
            own, [each.id for each in columns], {place.chunk for place in places.values()}
        )
    }
    found: dict[int, dict[str, tuple[str, Any]]] = {}
    for record, (chunk, offset) in places.items():
        found[record] = {}
        for column in columns:
            cells = stored.get((column.id, chunk), CellChunk())
            value = cells.content(offset)
            found[record][column.name] = (
                cells.status(offset),
                None if value is None else msgspec.json.decode(value),
            )
    return found


CALL_AND_DIE: Final = """
import json, os, signal, sys

from litestar.testing import TestClient

from firmograph.bootstrap.application import create_app
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.record_tables.table_write import TableWriter
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings

url, path, body, headers, moment = sys.argv[1:]
write = TableWriter._write

def write_and_die(*arguments):
    if moment == "in the write":
        write(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)

TableWriter._write = write_and_die
keyring = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
installation = make_installation(Settings(lookalikes=False), Database(url), keyring, SetClock())
with TestClient(create_app(installation, background=False), base_url="https://firmograph.test") as client:
    client.post(path, content=body, headers=json.loads(headers))
"""
"""Program that makes a call with `tableId`, and is killed at a moment after the answer has been charged."""
