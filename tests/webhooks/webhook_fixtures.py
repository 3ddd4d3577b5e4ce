"""Accounts with secrets, subscriptions and made-up signals in a database."""

import atexit
import copy
import uuid
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

import database_fixtures
from firmograph.accounts.service import Accounts
from firmograph.billing import holds, ledger_store
from firmograph.billing.holds import Hold
from firmograph.billing.types import Balance, LedgerEntry
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, AccountSession, Database, account_scope
from firmograph.directory.records import Company, CompanyRef
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import events
from firmograph.signals import store as signal_store
from firmograph.signals.events import Detected
from firmograph.signals.service import PRICE_KEYS
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.sending import urls
from firmograph.webhooks.sending.secrets import make_secrets
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.store import NewSubscription, Subscription
from firmograph.webhooks.tables import audit_logs, deliveries, subscriptions
from firmograph.webhooks.types import OPT_OUT, State
from installation_factory import make_suppression
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts

TODAY = "2026-09-21"
"""Day of the tests' clock."""
COMPANY, CONTACT = Entity.COMPANY, Entity.CONTACT

_deliveries = sa.select(deliveries).order_by(deliveries.c.id)
_audit = sa.select(audit_logs).order_by(audit_logs.c.id)
_subscriptions = sa.select(subscriptions).order_by(subscriptions.c.id)
_DELIVERED = ("payload_id", "account_id", "subscription_id", "state", "held", "body", "made_at")
_overwrite = (
    sa.update(subscriptions)
    .values({name: sa.bindparam(name) for name in Subscription._fields[1:]})
    .where(subscriptions.c.id == sa.bindparam("which"))
)


class World:
    """Two accounts, companies and contacts numbered from 1, and a clock."""

    def __init__(
        self, folder: Path, *, url: str = "", credits: int = 1_000, companies: int = 5, contacts: int = 5
    ) -> None:
        """Use the database at this URL, which has nothing but its schema, or create one."""
        self.clock = SetClock()
        self.tokens = RecordIds(KEYRING)
        self.plans = _plans()
        self.secrets = make_secrets(KEYRING)
        template = None if url else _template(credits, companies, contacts)
        self.url = database_fixtures.copy(template.url, folder, "webhooks") if template else url
        self.database = Database(self.url)
        self.accounts = Accounts(self.database, self.plans, self.clock)
        if template:
            self.first, self.second = template.first, template.second
        else:
            self.first, self.second = (self.account(name, credits=credits) for name in ("First", "Second"))
            self._records(companies, contacts)
        self._serials = count(1)

    def with_new_accounts(self) -> "World":
        """Return the same world with two new accounts, for one test of those that share it."""
        own = copy.copy(self)
        serial = next(self._serials)
        own.first, own.second = (own.account(f"{name} {serial}") for name in ("First", "Second"))
        return own

    def end(self) -> None:
        self.database.close()
        database_fixtures.drop(self.url)

    def account(
        self, name: str, *, plan: str = "unlimited", credits: int = 1_000, secret: bool = True
    ) -> int:
        """Create an account and return its id."""
        id = self.accounts.create(name, plan, credits).id
        if secret:
            with self.database.write(account_scope(id)) as session:
                self.secrets.regenerate(session, id, self.clock.seconds())
        return id

    def subscribe(
        self,
        account: int = 0,
        number: int | None = 1,
        types: Sequence[str] = ("allSignals",),
        *,
        entity: Entity = COMPANY,
        url: str = "https://hooks.example.com/in",
        partner: str = "",
        name: str | None = None,
    ) -> Subscription:
        """Create a subscription, by default of the first account; without a number it is to opt-outs."""
        account = account or self.first
        new = NewSubscription(
            token=f"{next(self._serials):024x}",
            entity=int(entity if number else CONTACT),
            entity_id=number,
            named=self.tokens.seal(entity, number) if number else str(account),
            types=",".join(types) if number else OPT_OUT,
            partner=partner,
            name=name,
            url=url,
            origin=urls.origin(url),
            created_at=self.clock.seconds(),
            after_signal=self.last_signal(),
        )
        with self.database.write(account_scope(account)) as session:
            subscription_store.add(AccountSession(session, account), [new])
        return self.subscription(new.token)

    def detect(self, *detected: Detected, quiet: bool = False) -> None:
        """Store signals as a detector does."""
        with self.database.write(RECORDS) as session:
            signal_store.store_signals(session, DIGESTS, detected, self.clock.seconds(), quiet=quiet)

    def insert_delivery(
        self, token: str, *, held: int = 0, state: str = "WAITING", body: bytes = b"{}"
    ) -> str:
        """Insert a delivery without a signal, with this many credits held for it, and return its payload id."""
        to = self.subscription(token)
        payload_id = str(uuid.UUID(int=next(self._serials)))
        now = self.clock.seconds()
        row = (payload_id, to.account_id, to.id, int(State[state]), held or None, body, now)
        with self.database.write(account_scope(to.account_id)) as session:
            holds.place_holds(
                AccountSession(session, to.account_id),
                [Hold(payload_id, PRICE_KEYS[Entity(to.entity)], held)],
                now,
            )
            session.load(deliveries, [row], _DELIVERED)
            if state != "FAILED":
                delivery_store.remove_queued(session, [(to.id, -1)])
        return payload_id

    def suppress(self, email: str) -> None:
        suppression = make_suppression(self.database, KEYRING, self.clock)
        assert suppression.suppress(suppression.person(email=email)) == 1

    def overwrite(self, subscription: Subscription) -> None:
        """Overwrite a subscription's row."""
        with self.database.write(account_scope(subscription.account_id)) as session:
            session.many(_overwrite, [(*subscription[1:], subscription.id)])

    # --- stored rows ---

    def last_signal(self) -> int:
        with self.database.read() as session:
            return signal_store.last_signal_id(session)

    def subscription(self, token: str) -> Subscription:
        """Return a subscription of any account."""
        (found,) = [one for one in self.subscriptions() if one.token == token]
        return found

    def subscriptions(self) -> list[Subscription]:
        with self.database.read() as session:
            return [Subscription(*row) for row in session.all(_subscriptions)]

    def deliveries(self) -> list[dict[str, object]]:
        """Return the rows by column in the order of detection."""
        return self._rows(_deliveries, deliveries)

    def audit(self) -> list[dict[str, object]]:
        return self._rows(_audit, audit_logs)

    def secret(self, account: int) -> str | None:
        with self.database.read() as session:
            return self.secrets.find(session, account)

    def balance(self, account: int) -> Balance:
        with self.database.read() as session:
            return ledger_store.select_balance(AccountSession(session, account))

    def entries(self, account: int) -> list[LedgerEntry]:
        """Return the account's ledger entries."""
        with self.database.read() as session:
            return [entry for _, entry in ledger_store.select_entries(AccountSession(session, account))]

    def _rows(self, statement: sa.Select[tuple[object, ...]], table: sa.Table) -> list[dict[str, object]]:
        with self.database.read() as session:
            return [dict(zip(table.c.keys(), row, strict=True)) for row in session.all(statement)]

    def _records(self, companies: int, contacts: int) -> None:
        rows = [
            msgspec.convert({"name": f"Company {n}", "domain": f"c{n}.example.com"}, Company)
            for n in range(1, companies + 1)
        ]
        load_companies(self.database, "test", rows)
        employer = CompanyRef(name="Company 1", domain="c1.example.com")
        load_contacts(
            self.database,
            "test",
            [
                contact("Ann", f"Example{n}", emails=[f"ann{n}@c1.example.com"], company=employer)
                for n in range(1, contacts + 1)
            ],
        )


_plans = cache(load_plans)


class Template(NamedTuple):
    """Database to copy, which is faster than creating one, and the numbers of its accounts."""

    url: str
    first: int
    second: int


@cache
def _template(credits: int, companies: int, contacts: int) -> Template:
    folder = TemporaryDirectory(prefix="firmograph-world-")
    atexit.register(folder.cleanup)
    url = database_fixtures.fresh(Path(folder.name), "world")
    world = World(Path(folder.name), url=url, credits=credits, companies=companies, contacts=contacts)
    world.database.close()
    return Template(url, world.first, world.second)


# --- signals: one for each record, type and day ---


def headcount(number: int = 1, day: str = TODAY, type: str = "headcountIncrease3m") -> Detected:
    return Detected(Entity.COMPANY, number, type, day, day, events.HeadcountChange(100, 120, 20))


def news(number: int = 1, day: str = TODAY, event: str = "Partnership") -> Detected:
    url = f"https://news.example.com/{number}/{day}/{event.replace(' ', '-')}"
    article = events.NewsEvent(event.lower(), "It happened.", day, "Title", "It happened.", day, url)
    return Detected(Entity.COMPANY, number, "commercialActivityNews", f"{url} {event}", day, article, event)


def move(number: int = 1, day: str = TODAY, type: str = "companyChange", to: int = 2) -> Detected:
    event = events.JobMove(
        to,
        "New Ltd",
        "new.example.com",
        "Head of Sales",
        "Sales",
        "Director",
        1,
        "Old Ltd",
        "old.example.com",
        "Clerk",
    )
    return Detected(Entity.CONTACT, number, type, f"1>{to} {day}", day, event)
