"""A few records and an account of an application, for histories of tables."""

from contextlib import contextmanager, suppress
from itertools import count

import msgspec
from table_users import TableUser, new_account

from firmograph.billing import ledger_store
from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import Plans
from firmograph.database.connection import AccountSession, account_scope
from firmograph.database.session import ACCOUNT_SCOPES
from firmograph.directory.records import Company, CompanyRef, OpenJobs, Phone
from firmograph.kit.errors import Unavailable
from firmograph.privacy.suppression import Suppression
from firmograph.record_tables import store
from firmograph.record_tables.cells import chunk
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.deletion import erasure
from firmograph.record_tables.deletion.purge import Purge
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.reading import RowReader
from firmograph.record_tables.runs import filling
from firmograph.record_tables.runs import store as run_store
from firmograph.record_tables.runs.acceptance import begin_run
from firmograph.record_tables.runs.cancel import stop_run
from firmograph.record_tables.runs.filling import ClaimLost, RunFilling
from firmograph.record_tables.runs.queue import RunQueue, Turn, TurnResult
from firmograph.record_tables.types import RunScope
from firmograph.security.record_ids import Entity
from record_factory import contact, load_companies, load_contacts
from server_fixtures import Service
from stored_records import stored_companies, stored_contacts

DEAR = """
[plans.dear]
second = 0
minute = 1_000_000_000
hour = 1_000_000_000
day = 1_000_000_000

[plans.dear.pricing]
revealEmail = { credits = 3, perQuantity = 2 }
revealPhone = { credits = 0, perQuantity = 1 }
revealCompany = { credits = 2, perQuantity = 1 }
revealCompanyPremiumData = { credits = 1, perQuantity = 3 }
tableRead = { credits = 2, perQuantity = 2 }
"""
PRICES = {
    "unlimited": {
        "revealEmail": (1, 1),
        "revealPhone": (5, 1),
        "revealCompany": (1, 1),
        "revealCompanyPremiumData": (1, 1),
        "tableRead": (1, 25),
    },
    "dear": {
        "revealEmail": (3, 2),
        "revealPhone": (0, 1),
        "revealCompany": (2, 1),
        "revealCompanyPremiumData": (1, 3),
        "tableRead": (2, 2),
    },
}
"""Credits and quantity of each price key, by plan."""
CONTACTS, COMPANIES = 7, 4
FILLED_LATER = 3
"""Company whose first version has name and domain alone."""
_WITH_CHUNKS = (chunk, filling, erasure)
_serials = count(1)


class Killed(BaseException):
    """A simulated end of the worker's process, as far as its transaction can tell."""


class TableWorld:
    """Records, an account with two users, and a worker. Chunks have two rows, so that runs have many parts.

    Worlds may follow each other in one application with the plans of `DEAR`; each has records of its own.
    """

    def __init__(self, service: Service, credits: int) -> None:
        self._chunk = chunk.CHUNK
        for module in _WITH_CHUNKS:
            module.CHUNK = 2
        self.service = service
        self.database = service.database
        self.clock = service.clock
        self._serial = next(_serials)
        self._stub = f"Stub {self._serial} Ltd"
        self.users: list[TableUser] = new_account(
            self.service, "dana@acme.example", "eve@acme.example", credits=credits
        )
        self.account_name = self.users[0].account
        self.account = self.users[0].account_id
        installation = self.service.installation
        self.table_ids = installation.get(TableIds)
        self.reader = RowReader(installation.get(ColumnKinds), self.table_ids, installation.record_ids)
        charges = AffordableCharges(installation.get(PaidUnits))
        # parts of one chunk
        self.filling = RunFilling(
            self.database, self.clock, installation.get(ColumnKinds), charges, most_chunks=1
        )
        self.queue = RunQueue(self.database, self.clock, installation.get(Plans))
        self.purge = Purge(self.database)
        self.suspended: list[Turn] = []
        self.versions: dict[str, int] = {}
        self.values: dict[str, dict] = {"contacts": {}, "companies": {}}
        self._load()
        self.ids = self._find_ids()

    def end(self) -> None:
        """Leave nothing to do for the workers of later worlds."""
        self.service.accounts.set_active(self.account_name, active=False)
        for module in _WITH_CHUNKS:
            module.CHUNK = self._chunk

    # --- records ---

    def _load(self) -> None:
        for place in range(COMPANIES):
            self._write_company(f"Firm {place}")
        for place in range(CONTACTS):
            self._write_contact(f"Person {place}")
        self.values["companies"][self._stub] = {"name": self._stub, "isBare": True}

    def _write_contact(self, name: str) -> None:
        place, version = int(name.split()[1]), self.versions.get(name, 0)
        emails = [f"person{place}.{self._serial}@example.com"] if place != 1 else []
        phones = [Phone(f"+1202555010{place}", "mobile")] if place % 3 else []
        title = f"Title {version}"
        record = contact(
            "Person",
            self._last_name(place),
            emails=emails,
            phones=phones,
            title=title,
            company=CompanyRef(name=self._stub),
            day=f"2026-01-{version + 1:02}",
        )
        load_contacts(self.database, "crm", [(f"person-{self._serial}-{place}", record)], self.clock)
        self.values["contacts"][name] = {
            "fullName": f"Person {self._last_name(place)}",
            "jobTitle": title,
            "companyName": self._stub,
            "workEmail": emails[0] if emails else None,
            "mobilePhone": phones[0].number if phones else None,
        }

    def _write_company(self, name: str) -> None:
        place, version = int(name.split()[1]), self.versions.get(name, 0)
        is_bare = place == FILLED_LATER and not version
        jobs = version + place if place % 2 and not is_bare else None
        record = Company(
            name=self._firm(name),
            domain=f"firm{place}-{self._serial}.example.org",
            industry=None if is_bare else f"Industry {version}",
            open_jobs=OpenJobs(total=jobs) if jobs is not None else None,
            update_date=f"2026-01-{version + 1:02}",
        )
        load_companies(self.database, "crm", [(f"firm-{self._serial}-{place}", record)], self.clock)
        self.values["companies"][name] = {
            "name": record.name,
            "domain": record.domain,
            "industry": record.industry,
            "openJobsTotal": jobs,
            "isBare": is_bare,
        }

    def _last_name(self, place: int) -> str:
        return f"Number{place}of{self._serial}"

    def _firm(self, name: str) -> str:
        return f"{name} of {self._serial}"

    def _find_ids(self) -> dict[str, dict[str, str]]:
        """Return the ids of this world's records by the names that the model has for them."""
        seal = self.service.installation.record_ids.seal
        people = {one.last_name: number for number, (one, _) in stored_contacts(self.database).items()}
        firms = {one.name: number for number, one in stored_companies(self.database).items()}
        return {
            "contacts": {
                f"Person {place}": seal(Entity.CONTACT, people[self._last_name(place)])
                for place in range(CONTACTS)
            },
            "companies": {
                name: seal(Entity.COMPANY, firms[name if name == self._stub else self._firm(name)])
                for name in self.values["companies"]
            },
        }

    def change(self, kind: str, name: str) -> dict:
        """Import a new version of a record and return its values."""
        self.versions[name] = self.versions.get(name, 0) + 1
        (self._write_contact if kind == "contacts" else self._write_company)(name)
        return self.values[kind][name]

    def is_stub(self, name: str) -> bool:
        """Return whether a company is only the employer of contacts, so that no row of its own changes it."""
        return name == self._stub

    def suppress(self, name: str) -> None:
        suppression = self.service.installation.get(Suppression)
        suppression.suppress(suppression.person(id=self.ids["contacts"][name]))

    # --- tables ---

    def number(self, table_id: str) -> int:
        number = self.table_ids.open_table(table_id)
        assert number is not None
        return number

    @contextmanager
    def own(self):
        with self.database.read() as session:
            yield AccountSession(session, self.account)

    def list_tables(self) -> list[dict]:
        return [
            one
            for kind in ("contacts", "companies")
            for one in self.users[1].of_kind(kind).list_tables().json()["data"]
        ]

    def find_table(self, user: TableUser, name: str) -> str:
        """Return the id of a table by its name."""
        (found,) = user.list_tables(name=name).json()["data"]
        return found["tableId"]

    def column_id(self, user: TableUser, table_id: str, key: str) -> str:
        columns = user.get(table_id).json()["data"]["columns"]
        (found,) = [one["columnId"] for one in columns if one["key"] == key]
        return found

    def rows(self, table_id: str) -> list[dict]:
        """Return all rows as answers show them, without a charge."""
        with self.own() as own:
            table = store.find_table(own, self.number(table_id))
            return [msgspec.json.decode(row) for row in self.reader.page(own, table, 0, 500).rows]

    def open_runs(self, table_id: str) -> list:
        with self.own() as own:
            return run_store.select_open_runs(own, self.number(table_id))

    def find_run(self, number: int):
        with self.own() as own:
            return run_store.find_run(own, number)

    def begin_run(self, table_id: str, key: str, scope: RunScope, most_credits: int) -> int | None:
        """Begin a run with a bound in credits and return its number."""
        with self.database.write(account_scope(self.account)) as session:
            own, number = AccountSession(session, self.account), self.number(table_id)
            columns = column_store.select_every_column(own, number)
            (column,) = [one for one in column_store.select_columns(own, number) if one.key == key]
            return begin_run(
                own,
                store.find_table(own, number),
                columns,
                column,
                scope,
                user_id=None,
                request_id="command",
                at=self.clock.seconds(),
                most_credits=most_credits,
            )

    def stop_run(self, number: int) -> None:
        with self.database.write(account_scope(self.account)) as session:
            own = AccountSession(session, self.account)
            assert stop_run(own, run_store.find_run(own, number), self.clock.seconds())

    # --- workers ---

    def claim(self) -> Turn | None:
        """Return a run that a worker has claimed."""
        turns = self.queue.claim(1, self.clock.seconds())
        return turns[0] if turns else None

    def work(self) -> None:
        """Let a worker claim a run, do one part of it, and give it back. One that is killed keeps its lease."""
        with suppress(Killed):
            turn = self.claim()
            if turn:
                self.go_on(turn)
            self.purge.step()

    def go_on(self, turn: Turn) -> None:
        """Do one part of a claimed run, unless another worker has claimed it since."""
        with suppress(ClaimLost):
            self.filling.fill_next(turn)
            self.queue.record([TurnResult(turn, "continued")])

    def suspend_worker(self) -> None:
        """Let a worker stop in the middle of its turn."""
        if turn := self.claim():
            self.suspended.append(turn)

    # --- money ---

    def entries(self) -> list:
        with self.own() as own:
            return [entry for _, entry in ledger_store.select_entries(own)]

    def balance(self):
        with self.own() as own:
            return ledger_store.select_balance(own)

    # --- ends of processes ---

    @contextmanager
    def crashing(self, moment: str | None, error: type[BaseException] = Unavailable, after: int = 0):
        """End the process before or after the commit that follows `after` others.

        Yields a function that returns the moment once that has happened.
        """
        kind = type(self.database.session())
        begin, commit, left, happened = kind.begin_write, kind.commit, [after], []

        def begin_write(session, scopes):
            # counters of rate limits are written by other threads
            session.ends = all(scope is None or scope >= ACCOUNT_SCOPES for scope in scopes)
            begin(session, scopes)

        def ending(session):
            if not session.ends:
                return commit(session)
            if left[0]:
                left[0] -= 1
                return commit(session)
            happened.append(moment)
            if moment == "after":
                commit(session)
            raise error

        if moment is not None:
            kind.begin_write, kind.commit = begin_write, ending
        try:
            yield lambda: happened[0] if happened else None
        finally:
            kind.begin_write, kind.commit = begin, commit
