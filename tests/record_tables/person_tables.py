"""Tables with a person who is suppressed: rows of contacts, and companies whose signals name the person."""

from collections import Counter
from pathlib import Path
from typing import Final

import msgspec
import pytest

import database_fixtures
from account_fixtures import World
from firmograph.backup import archive, service
from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.records import Company, CompanyLinks
from firmograph.privacy.suppression import Suppression
from firmograph.record_tables import store
from firmograph.record_tables.cells.chunk import CHUNK, CellChunk, RowChunk, decode_bits, place_of
from firmograph.record_tables.cells.grid import GridEdit, NewRow
from firmograph.record_tables.cells.store import select_all_chunks, select_cells, select_parts_of_column
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.signal_kind import SignalKind, signal_column
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.deletion import erasure_store
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.runs.cancel import stop_run
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import Cell, Counters, Run, RunScope, TableColumn
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.event_renderer import EventRenderer
from installation_factory import make_protections, make_suppression
from post_factory import ACME, import_posts, post
from record_factory import KEYRING, contact, load_companies, load_contacts

ANN: Final = "ann@people.example"
ANN_PAGE: Final = "https://www.linkedin.com/in/ann-abt"
OTHERS: Final = 300
"""Contacts besides Ann, whose record is number 1."""
ACME_ID: Final = 1
FOUND: Final = Cell("success", b'"found"')
ANNS: Final = Cell("success", b'"' + ANN.encode() + b'"', {"error": f"about {ANN}"})


class PersonWorld:
    """Ann, 300 others and Acme in a database, and posts of Acme that name Ann."""

    def __init__(self, world: World, others: int = OTHERS) -> None:
        self.world = world
        self.database = world.database
        self.caller = world.caller("Acme", credits=10_000)
        self.account = self.caller.account_id
        self.suppression: Suppression = make_suppression(world.database, KEYRING, world.clock)
        self.kind = SignalKind(EventRenderer(RecordIds(KEYRING)))
        acme = Company(name="Acme", domain="acme.test", social_links=CompanyLinks(linkedin=ACME))
        load_companies(self.database, "crm", [acme, Company(name="Globex", domain="globex.test")])
        others = [contact(f"Other{n}", "Person", emails=[f"other{n}@people.example"]) for n in range(others)]
        load_contacts(self.database, "crm", [contact("Ann", "Abt", emails=[ANN], linkedin=ANN_PAGE), *others])

    def suppress(self) -> None:
        self.suppression.suppress(self.suppression.person(email=ANN))

    def import_posts(self, folder, *names_ann: bool) -> None:
        """Import posts of Acme's page, each naming Ann or nobody."""
        mention = {"contactsMentioned": [{"fullName": "Ann Abt", "linkedinUrl": ANN_PAGE}]}
        rows = [
            post(n, date="2026-09-20", author=ACME, **(mention if named else {}))
            for n, named in enumerate(names_ann, 1)
        ]
        import_posts(self.database, folder, rows, self.world.clock)

    def back_up(self, folder):
        file = folder / "backup"
        service.back_up(
            self.database, KEYRING, file, self.world.clock, replace=True, progress_of=lambda what: _silent
        )
        return file

    def restore(self, file) -> None:
        with archive.open_archive(file) as backup:
            service.restore(
                backup, self.database, make_protections(), force=True, progress_of=lambda what: _silent
            )

    def table(self, entity: Entity = Entity.CONTACT, account: int = 0) -> "PersonTable":
        return PersonTable(self, entity, account or self.account)


def _silent(done: int, total: int) -> None:
    pass


class PersonTable:
    """Table of an account with a default column and another one: e-mails of contacts, signals of companies."""

    def __init__(self, people: PersonWorld, entity: Entity, account: int) -> None:
        self.people, self.entity, self.account = people, entity, account
        with self.write() as own:
            new = NewTable(int(entity), f"T{entity}", 1, "api", False)
            self.id = store.insert_table(own, new, 1.0)
            default = NewColumn("lusha", "name", "name", "Name", is_default=True)
            filled = NewColumn("lusha", "workEmail", "workEmail", "Work email")
            if entity is Entity.COMPANY:
                filled = signal_column(entity, ["linkedinActivityIntent", "peopleNews"], None)
            self.name, self.filled = (
                column_store.insert_column(own, self.id, each, 0, 1.0) for each in (default, filled)
            )

    def write(self) -> "_Writing":
        return _Writing(self.people.database, self.account)

    def edit(self, own: AccountSession) -> GridEdit:
        return GridEdit(own, self.stored(own), column_store.select_every_column(own, self.id))

    def stored(self, own: AccountSession):
        return erasure_store.read_table(own, self.id)

    def column(self, own: AccountSession, column: int = 0) -> TableColumn:
        (found,) = (
            each
            for each in column_store.select_every_column(own, self.id)
            if each.id == (column or self.filled)
        )
        return found

    def add(self, *numbers: int) -> None:
        with self.write() as own:
            edit = self.edit(own)
            edit.add_rows([NewRow(n, {self.name: Cell("success", b'"Name %d"' % n)}) for n in numbers])
            edit.write(1.0)

    def fill(self, cells: dict[int, Cell]) -> None:
        """Fill cells by position."""
        with self.write() as own:
            edit = self.edit(own)
            edit.set_cells(self.filled, cells)
            edit.write(2.0)

    def fill_signals(self) -> None:
        """Fill the cell of the first row, Acme, as a run does."""
        with self.write() as own:
            contents = self.people.kind.load(own, self.entity, [self.column(own)], [ACME_ID], _NOW)
        content = contents[self.filled][ACME_ID]
        assert content.value is not None
        self.fill({0: Cell("success", content.value)})

    def run(self, scope: RunScope = "all", positions=()) -> int:
        with self.write() as own:
            columns = column_store.select_every_column(own, self.id)
            run = begin_run(
                own, self.stored(own), columns, self.column(own), scope,
                user_id=1, request_id="r", at=3.0, positions=positions,
            )  # fmt: skip
        assert run is not None
        return run

    def stop(self, run: int) -> None:
        with self.write() as own:
            stored = run_store.find_run(own, run)
            assert stored is not None
            stop_run(own, stored, 5.0)

    def find_run(self, run: int) -> Run:
        with self.write() as own:
            found = run_store.find_run(own, run)
        assert found is not None
        return found

    def numbers(self) -> list[int]:
        with self.write() as own:
            chunks = select_all_chunks(own, self.id)
        return [number for chunk in chunks.values() for _, number in RowChunk.decode(chunk).rows()]

    def cell(self, position: int, column: int = 0) -> Cell:
        with self.write() as own:
            stored = select_cells(own, [column or self.filled], [position // 128])
        if not stored:
            return Cell("not_run")
        chunk, index = CellChunk(*stored[0][2:]), position % 128
        return Cell(chunk.status(index), chunk.content(index), dict(chunk.note(index)) or None)

    def counters(self, column: int = 0) -> Counters:
        with self.write() as own:
            return self.column(own, column).counters

    def check(self) -> None:
        """Compare all counters with the rows, cells and parts that they count."""
        with self.write() as own:
            table, runs = self.stored(own), run_store.select_open_runs(own, self.id)
            chunks = select_all_chunks(own, self.id)
            places = [
                chunk * CHUNK + index
                for chunk, numbers in chunks.items()
                for index, _ in RowChunk.decode(numbers).rows()
            ]
            assert (table.entity_count, table.open_runs) == (len(places), len(runs))
            for column in column_store.select_every_column(own, self.id):
                stored = {
                    each.chunk: CellChunk(*each[2:]) for each in select_cells(own, [column.id], [*chunks])
                }
                taken = {
                    each.chunk: decode_bits(each.taken) for each in select_parts_of_column(own, column.id)
                }
                shown, left = Counter[str](), Counter[str]()
                for chunk, index in map(place_of, places):
                    status = stored.get(chunk, CellChunk()).status(index)
                    is_taken = taken.get(chunk, 0) >> index & 1
                    shown["processing" if is_taken else status] += 1
                    left[status] += is_taken
                assert column.counters._asdict() == {name: shown[name] for name in Counters._fields}
                total = sum(
                    (Counter(run.left._asdict()) for run in runs if run.column_id == column.id), Counter()
                )
                assert +total == +left


_NOW: Final = 1_790_000_000.0


class _Writing:
    def __init__(self, database, account: int) -> None:
        self._transaction = database.write(account_scope(account))
        self._account = account

    def __enter__(self) -> AccountSession:
        return AccountSession(self._transaction.__enter__(), self._account)

    def __exit__(self, *error):
        return self._transaction.__exit__(*error)


@pytest.fixture
def people(world: World) -> PersonWorld:
    return PersonWorld(world)


def make_people_table(people: PersonWorld, account: int = 0) -> PersonTable:
    """Return a table with Ann between others, in its second chunk."""
    table = people.table(account=account)
    table.add(*range(2, 132), 1, *range(132, 200))
    table.fill({0: FOUND, 129: FOUND, 130: ANNS, 131: Cell("no_data"), 132: Cell("failed")})
    return table


def make_company_table(people: PersonWorld, account: int = 0) -> PersonTable:
    """Return a table of companies with a cell that shows the imported posts."""
    table = people.table(Entity.COMPANY, account)
    table.add(ACME_ID, 2)
    table.fill_signals()
    return table


@pytest.fixture
def people_table(people: PersonWorld) -> PersonTable:
    return make_people_table(people)


@pytest.fixture
def company_table(people: PersonWorld, tmp_path: Path) -> PersonTable:
    """Return a table of companies with a cell that shows a post naming Ann and one that does not."""
    people.import_posts(tmp_path, True, False)
    return make_company_table(people)


def shown_posts(table: PersonTable) -> list[str]:
    """Return the posts that the cell of Acme shows, by the last digit of their address."""
    value = table.cell(0).value
    assert value is not None
    return sorted(event["activityUrl"][-1] for event in msgspec.json.decode(value)["linkedinActivityIntent"])


def holds_ann(people: PersonWorld) -> bool:
    """Return whether the database holds Ann's address anywhere."""
    return ANN.encode() in database_fixtures.content(people.database)
