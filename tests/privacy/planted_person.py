"""A person planted in every table and file that is declared to hold data of people."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from planted_conversations import fill_conversations, import_conversations
from planted_identity import PERSON
from planted_tables import fill_tables
from planted_visits import fill_visits, import_visits
from planted_waterfall import fill_waterfall
from planted_workspace import fill_workspace

from firmograph.accounts.service import Accounts
from firmograph.backup import archive, service
from firmograph.backup.protections import Preserved, Protections
from firmograph.bootstrap.packages import load_plans, registrations
from firmograph.database.connection import RECORDS, Database
from firmograph.directory.records import Company, CompanyLinks, Contact
from firmograph.ingest.do_not_call.service import DoNotCall
from firmograph.ingest.imports.runs import ImportRuns
from firmograph.kit.clock import SetClock, today
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy import store
from firmograph.privacy.declarations import People, PersonalData
from firmograph.privacy.deletion_lists.listed_hashes import add_missing, number_digests
from firmograph.privacy.suppression import Person, Suppression
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.factory import make_queue
from firmograph.webhooks.types import AttemptResult, SendResult
from index_fixtures import is_applied
from installation_factory import make_taken_back
from news_factory import article, import_news
from post_factory import ACME, import_posts, post
from record_factory import DIGESTS, KEYRING, load_companies, load_contacts
from server_fixtures import PATIENCE_SECONDS, Service

MARK, EMAIL, PAGE, PHONE, NUMBER = PERSON
ID: Final = PERSON.id
FILLINGS: Final = (fill_tables, fill_conversations, fill_visits, fill_waterfall, fill_workspace)
"""Fillings of packages, each of which takes the database and the person. A new package adds its own."""
IMPORTS: Final = (import_conversations, import_visits)
"""Later imports of packages that name the person again."""
PERSONAL_DATA: Final = tuple(each for one in registrations().values() for each in one.personal_data())
"""Declarations of all packages."""
_URL = "https://hooks.example.com/in"
_SPLIT = (
    "INSERT INTO record_splits (digest, entity, record_id) SELECT digest, 1, contact_id FROM contact_keys"
)


def fill(folder: Path, url: str) -> None:
    """Fill a database by imports, calls, subscriptions and deliveries about the person."""
    database, clock = Database(url), SetClock()
    day = today(clock).isoformat()
    acme = Company(name="Acme", domain="acme.test", social_links=CompanyLinks(linkedin=ACME))
    load_companies(database, "crm", [acme, Company(name="Globex", domain="globex.test")], clock)
    load_contacts(database, "crm", [msgspec.convert(_other(), Contact)], clock)
    with database.write(RECORDS) as session:
        store.raise_last_contact(session, NUMBER - 1)
    application = Service(database, KEYRING, clock, Settings())
    with application.client:
        # the first model holds the highest record number, which would be the person's if it were learnt later
        assert is_applied(application.installation.get(ServedSimilarity).active, 0, PATIENCE_SECONDS)
        load_contacts(
            database, "crm", [(f"{MARK}-crm", _person("Globex", f"Clerk at {MARK}", "2026-01-01"))], clock
        )
        load_contacts(
            database, "fair", [(f"{MARK}-fair", _person("Globex", f"Clerk at {MARK}", "2026-01-02"))], clock
        )
        # numbers of later records differ from the person's
        load_contacts(database, "fair", [msgspec.convert(_other("Bob"), Contact)], clock)
        _subscribe(application)
        _reveal(application)
        with database.write(RECORDS) as session:
            session.raw.execute(f"{_SPLIT} WHERE contact_id = {NUMBER}")
        application.accounts.add_user("Acme", EMAIL, "member")
        # the first signal of each subscription arrives and is acknowledged, the second fails and is kept
        load_contacts(
            database, "crm", [(f"{MARK}-crm", _person("Acme", f"Clerk at {MARK}", "2026-09-20"))], clock
        )
        import_posts(database, folder, [_post(1, day)], clock)
        _deliver(database, clock, SendResult(200, 12, None, f"{MARK} arrived".encode(), response_ms=11))
        load_contacts(
            database,
            "crm",
            [(f"{MARK}-crm", _person("Acme", f"Head of Sales at {MARK}", "2026-09-21"))],
            clock,
            # keeps the row that it replaces, which has a history
            ImportRuns(database, clock).begin("contacts", "crm", []),
        )
        import_posts(database, folder, [_mention(2, day)], clock)
        import_news(database, folder, [_news()])
        _deliver(database, clock, SendResult(500, 12, "The receiver answered 500"))
        application.installation.get(DoNotCall).add([f"+1{PHONE}"], "privacy dnc add")
        with database.write(RECORDS) as session:
            # as if the list had come before the person
            add_missing(session, number_digests(DIGESTS, f"+1{PHONE}"), 20_000)
        for each in FILLINGS:
            each(database, PERSON)
    database.close()


def import_again(database: Database, folder: Path) -> None:
    """Import everything about the person once more, under the present day."""
    clock = SetClock()
    day = today(clock).isoformat()
    for source in ("crm", "fair"):
        row = (f"{MARK}-{source}", _person("Acme", f"Director at {MARK}", "2026-09-22"))
        assert load_contacts(database, source, [row], clock).suppressed == 1
    import_posts(database, folder, [_post(1, day), _mention(2, day), _post(3, day)], clock)
    import_news(database, folder, [_news()])
    for each in IMPORTS:
        each(database, PERSON)


def _news() -> dict[str, Any]:
    return article(1, f"Acme appoints {PERSON.name} as chief executive")


def _other(first: str = "Ann") -> dict[str, Any]:
    return {
        "firstName": first,
        "lastName": "Other",
        "fullName": f"{first} Other",
        "emails": [{"email": f"{first.lower()}@acme.test"}],
    }


def _person(company: str, title: str, day: str) -> Contact:
    first, last = f"{MARK.title()}first", f"{MARK.title()}last"
    return msgspec.convert(
        {
            "firstName": first,
            "lastName": last,
            "fullName": f"{first} {last}",
            "jobTitle": {"title": title, "departments": ["Sales"], "startDate": "2020-01-01"},
            "location": {"city": f"{MARK}city", "country": "Germany", "countryIso2": "DE"},
            "socialLinks": {"linkedin": PAGE, "xUrl": f"https://x.com/{MARK}handle"},
            "emails": [{"email": EMAIL}],
            "phones": [{"number": f"+1{PHONE}"}],
            "company": {"name": company},
            "previousEmployment": [{"company": {"name": "Former"}, "jobTitle": {"title": f"{MARK}job"}}],
            "skills": [f"{MARK}skill"],
            "certifications": [f"{MARK}certificate"],
            "awards": [f"{MARK}award"],
            "previousEmails": [f"{MARK}old@people.example.com"],
            "education": [{"school": f"{MARK}school", "degree": f"{MARK}degree"}],
            "updateDate": day,
        },
        Contact,
    )


def _post(number: int, day: str) -> dict[str, Any]:
    author = {"fullName": f"{MARK.title()}first {MARK.title()}last", "linkedinUrl": PAGE, "company": "Acme"}
    return post(number, date=day, author=author, summary=f"{MARK}summary")


def _mention(number: int, day: str) -> dict[str, Any]:
    mentioned = {"fullName": f"{MARK.title()}first {MARK.title()}last", "linkedinUrl": PAGE}
    return post(
        number, date=day, author=ACME, contactsMentioned=[mentioned], summary=f"{MARK} spoke about it"
    )


def _subscribe(application: Service) -> None:
    application.client.post("/api/account/secret/regenerate", headers={"api_key": application.key})
    acme = RecordIds(KEYRING).seal(Entity.COMPANY, 1)
    items = [
        {"entityId": ID, "entityType": "contact", "name": f"{MARK} moves"},
        {"entityId": acme, "entityType": "company"},
    ]
    created = application.post(
        "/api/subscriptions",
        {"defaults": {"url": _URL, "signalTypes": ["allSignals"]}, "subscriptions": items},
    )
    assert created.json()["failed"] == 0, created.text
    opt_out = application.post("/api/subscriptions/opt-out", {"entityType": "contact", "url": _URL})
    assert opt_out.status_code == 201, opt_out.text


def _reveal(application: Service) -> None:
    answer = application.post(
        "/v3/contacts/enrich", {"ids": [ID], "partnerClientId": "partner"}, **{"Idempotency-Key": "key"}
    )
    assert EMAIL in answer.text, answer.text


def _deliver(database: Database, clock: SetClock, result: SendResult) -> None:
    plans = load_plans()
    fan_out = FanOut(database, clock, plans, DIGESTS, 30)
    while fan_out.step():
        pass
    queue = make_queue(Settings(), database, KEYRING, clock, plans, Random(1))
    attempts = queue.claim(400, clock.seconds())
    assert len(attempts) == 2
    queue.record([AttemptResult(each, result, clock.seconds()) for each in attempts])


class PlantedInstallation:
    """A copy of the filled database, with the packages' declarations or some of them."""

    def __init__(self, url: str, declarations: Sequence[PersonalData] = PERSONAL_DATA) -> None:
        self.database = Database(url)
        self.clock = SetClock()
        self.accounts = Accounts(self.database, load_plans(), self.clock)
        self.declarations = declarations
        self.suppression = Suppression(
            self.database, KEYRING, self.clock, declarations, OperatorAudit().record
        )

    @property
    def person(self) -> Person:
        return self.suppression.person(email=EMAIL)

    def people(self) -> People:
        with self.database.read() as session:
            return self.suppression.find(session, self.person)

    def back_up(self, file: Path) -> None:
        service.back_up(
            self.database, KEYRING, file, self.clock, replace=True, progress_of=lambda what: _no_progress
        )

    def restore(self, file: Path) -> Preserved:
        with archive.open_archive(file) as backup:
            return service.restore(
                backup,
                self.database,
                Protections(self.declarations, make_taken_back(), lambda: KEYRING, self.clock),
                force=True,
                progress_of=lambda what: _no_progress,
            )

    def export(self, people: People) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the people by table."""
        with self.database.read() as session:
            return {
                table.table.name: [dict(row) for row in table.find(session, people)]
                for each in self.declarations
                for table in each.tables
                if table.find is not None
            }

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every row of every table."""
        with self.database.read() as session:
            for table in sorted(session.tables()):
                name = table.strip('"')
                cursor = session.raw.execute(str(sa.text(f'SELECT * FROM "{name}"')))
                columns = [column[0] for column in cursor.description]
                for row in cursor.fetchall():
                    yield name, dict(zip(columns, row, strict=True))


def _no_progress(done: int, total: int) -> None:
    pass
