"""Imports, undos and suppressions of a test, some of them killed between two commits, and what the database holds."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmograph.database.connection import Database, Session
from firmograph.directory.contact_json import encode_contact
from firmograph.ingest.imports.removal import SourceRemoval
from firmograph.ingest.imports.runs import ALIVE_SECONDS, ImportRuns
from firmograph.ingest.imports.sources import Sources
from firmograph.ingest.imports.undo import ImportUndo, UndoneImport
from firmograph.ingest.imports.undo_preview import UndoPreviews
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import merge_company_rows
from firmograph.ingest.merging.company_state import CompanyKeys, CompanyState
from firmograph.ingest.merging.contact_state import ContactKeys, ContactState
from firmograph.ingest.merging.contacts import merge_contact_rows
from firmograph.ingest.merging.source_history import Row, RowSlot, history_of
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity
from firmograph.settings import Settings
from installation_factory import make_installation
from record_factory import DIGESTS, KEYRING


class Killed(BaseException):
    """End of a process between two commits."""


class World:
    """A database with its imports."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.clock = SetClock()
        installation = self.installation = make_installation(Settings(), database, KEYRING, self.clock)
        self.runs = installation.get(ImportRuns)
        self.undos = installation.get(ImportUndo)
        self.previews = installation.get(UndoPreviews)
        self.removal = installation.get(SourceRemoval)
        self.sources = installation.get(Sources)
        self.suppression = installation.get(Suppression)
        self._files = 0

    def write(self, rows: Sequence[Mapping[str, Any]]) -> Path:
        """Write a file of its own digest."""
        self._files += 1
        path = self.folder / f"{self._files}.jsonl"
        path.write_text("\n" * self._files + "".join(json.dumps(row) + "\n" for row in rows))
        return path

    def import_rows(self, source: str, entity: Entity, rows: Sequence[Mapping[str, Any]]) -> int:
        """Import a file of rows and return the number of the import."""
        return self.import_file(source, entity, self.write(rows))

    def import_file(self, source: str, entity: Entity, path: Path) -> int:
        task = ImportTask(entity=entity, paths=[str(path)], source=source, keyring=KEYRING)
        summary = import_files(self.database, task, self.clock, lambda *_: None, lambda *_: None)
        assert summary.import_id is not None
        return summary.import_id

    def undo(self, number: int, *, and_later: bool = False) -> list[UndoneImport]:
        return self.undos.undo(number, and_later=and_later)

    def kill(self, do: Callable[[], object], commits: int, patch: pytest.MonkeyPatch) -> None:
        """Do something in a process that is killed after so many commits. Raises Killed."""
        with patch.context() as context:
            context.setattr(Database, "write", _write_until_killed(commits))
            do()

    def run_killed(self, do: Callable[[], object], commits: int, patch: pytest.MonkeyPatch) -> None:
        """Do something in a process that is killed after so many commits, then again to its end."""
        try:
            self.kill(do, commits, patch)
        except Killed:
            self.clock.advance(ALIVE_SECONDS)
            do()


def _write_until_killed(commits: int) -> Callable[..., AbstractContextManager[Session]]:
    """Return `Database.write` of a process that is killed after so many commits."""
    write, left = Database.write, commits

    @contextmanager
    def counted(database: Database, *scopes: int | None) -> Iterator[Session]:
        nonlocal left
        if left <= 0:
            raise Killed
        with write(database, *scopes) as session:
            yield session
        left -= 1

    return counted


def check(database: Database) -> None:
    """Check that every record is the merge of its rows, and that keys and links are owed to rows."""
    with database.read() as session:
        names = {number: name for name, number in _sources(session).items()}
        contacts, companies = _contacts(session), _companies(session)
        for contact in contacts.values():
            assert contact.rows, "a contact has rows"
            parts, employer = contact.parts, contact.company_id
            contact.fill_rows()
            record, company_id = merge_contact_rows(contact.rows, names)
            assert (encode_contact(record), company_id) == (parts, employer)
            assert employer is None or employer in companies
            assert all(row.company_id is None or row.company_id in companies for row in contact.rows.values())
        for company in companies.values():
            assert company.rows, "a company has rows"
            company.fill_rows()
            assert company.canonical() == merge_company_rows(company.rows, names)
        contact_keys, company_keys = ContactKeys(DIGESTS, names), CompanyKeys(DIGESTS, names)
        owed = {
            Entity.CONTACT: {
                number: contact_keys.all_keys(one)
                | {DIGESTS.contact_page_name(*page) for page in contact_keys.named_pages(one)}
                for number, one in contacts.items()
            },
            Entity.COMPANY: {number: company_keys.all_keys(one) for number, one in companies.items()},
        }
        held: dict[Entity, set[bytes]] = {entity: set() for entity in Entity}
        for entity, table in ((Entity.CONTACT, "contact_keys"), (Entity.COMPANY, "company_keys")):
            for digest, number in session.raw.execute(f"SELECT * FROM {table}").fetchall():
                assert bytes(digest) in owed[entity].get(number, ()), "a key is owed to a row"
                held[entity].add(bytes(digest))
        for number, one in contacts.items():
            strong = contact_keys.all_keys(one) - contact_keys.shared_keys(one)
            assert strong <= held[Entity.CONTACT], f"contact {number} is found by its keys"
        for number, company in companies.items():
            assert company_keys.strong_keys(company) <= held[Entity.COMPANY], f"company {number} is found"
        assert _named(session) <= companies.keys()


def content(database: Database) -> tuple[list[Any], list[Any]]:
    """Return all contacts and companies with their rows, without their numbers and without unnamed stubs."""
    with database.read() as session:
        names = {number: name for name, number in _sources(session).items()}
        contacts, companies = _contacts(session), _companies(session)
        named = _named(session)
        labels = {
            number: _company_content(one, names)
            for number, one in companies.items()
            if number in named or any(source for source, _ in one.rows)
        }
        people = [
            (
                repr(one.parts),
                repr(labels.get(one.company_id or 0)),
                sorted(
                    repr((names[slot[0]], slot[1], _row_content(row, labels))) for slot, row in _filled(one)
                ),
            )
            for one in contacts.values()
        ]
        owners = session.raw.execute("SELECT company_id, parent_id, role FROM company_parents").fetchall()
        owned = sorted(repr((labels[company], labels[parent], role)) for company, parent, role in owners)
        return sorted(people), [sorted(map(repr, labels.values())), owned]


def unnamed_stubs(database: Database) -> set[str]:
    """Return the stubs that nothing names any more.

    A suppression leaves these behind, and a row that changes its employer.
    """
    with database.read() as session:
        names = {number: name for name, number in _sources(session).items()}
        companies, named = _companies(session), _named(session)
        return {
            repr(_company_content(one, names))
            for number, one in companies.items()
            if number not in named and not any(source for source, _ in one.rows)
        }


def _filled(one: Any) -> list[tuple[RowSlot, Row]]:
    one.fill_rows()
    return sorted(one.rows.items())


def _company_content(one: CompanyState, names: Mapping[int, str]) -> tuple[Any, ...]:
    assert one.parts is not None
    shown = repr((one.parts.preview, one.parts.profile, one.parts.partial))
    return shown, [(names[slot[0]], slot[1], _row_content(row, {})) for slot, row in _filled(one)]


def _row_content(row: Row, labels: Mapping[int, object]) -> tuple[Any, ...]:
    history = history_of(row)
    jobs = [
        (
            each.day,
            msgspec.json.encode(msgspec.structs.replace(each.job.company, id=None)),
            each.job.job_title,
        )
        for each in history.jobs
    ]
    employer = labels.get(row.company_id or 0)
    return row.version, row.day, employer, row.row, history.versions, jobs, history.marks, history.typed


def _sources(session: Session) -> dict[str, int]:
    return dict(session.raw.execute("SELECT name, id FROM sources").fetchall())


def _contacts(session: Session) -> dict[int, ContactState]:
    numbers = [row[0] for row in session.raw.execute("SELECT id FROM contacts ORDER BY id").fetchall()]
    rows, found = store.read_rows(session, Entity.CONTACT, numbers), {}
    for number, (company_id, parts) in store.read_contact_parts(session, numbers).items():
        found[number] = ContactState(number)
        found[number].company_id, found[number].parts, found[number].rows = company_id, parts, rows[number]
    return found


def _companies(session: Session) -> dict[int, CompanyState]:
    numbers = [row[0] for row in session.raw.execute("SELECT id FROM companies ORDER BY id").fetchall()]
    rows, found = store.read_rows(session, Entity.COMPANY, numbers), {}
    for number, parts in store.read_company_parts(session, numbers).items():
        found[number] = CompanyState(number)
        found[number].parts, found[number].rows = parts, rows[number]
    return found


def _named(session: Session) -> set[int]:
    """Return the companies that contacts or companies name."""
    return {*store.read_employers(session), *(named for named, _ in store.read_relations(session))}
