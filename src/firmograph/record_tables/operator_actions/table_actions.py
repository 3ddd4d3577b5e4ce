"""Operator actions on tables and their rows; they charge as the calls of the API do."""

from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import msgspec

from firmograph.accounts.service import find_account
from firmograph.accounts.types import User
from firmograph.accounts.users import find_user
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import Plans
from firmograph.caller import Plan
from firmograph.database.connection import AccountSession, Database, Session, account_scope
from firmograph.kit.clock import Clock
from firmograph.kit.errors import BadRequest, Conflict, Refused
from firmograph.kit.name_keys import name_key
from firmograph.record_tables import shapes, store
from firmograph.record_tables.answers import TableStatus, TableView
from firmograph.record_tables.creation import create_table
from firmograph.record_tables.declaration import ENTITY_TYPES
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.record_tables.service import check_name_is_free, delete_table
from firmograph.record_tables.store import NewTable
from firmograph.record_tables.types import TABLE_SUBJECT, RecordTable
from firmograph.record_tables.views import TableViews
from firmograph.security.record_ids import Entity


class TableRef(NamedTuple):
    """Table of an account, by their numbers."""

    account_id: int
    number: int


class AddedBatch(NamedTuple):
    """Result of adding records to a table."""

    added: int
    present: int
    """Rows of before."""
    missing: frozenset[int]
    """Given numbers without a record."""
    credits: int


class TableActions:
    def __init__(
        self,
        database: Database,
        clock: Clock,
        plans: Plans,
        paid_units: PaidUnits,
        ids: TableIds,
        views: TableViews,
        addition: RowAddition,
    ) -> None:
        self._database = database
        self._clock = clock
        self._plans = plans
        self._paid_units = paid_units
        self._ids = ids
        self._views = views
        self._addition = addition

    def entity(self, ref: TableRef) -> Entity:
        """Return what the rows of a table are."""
        with self._database.read() as session:
            return Entity(live_table(AccountSession(session, ref.account_id), ref.number).entity)

    # --- tables ---

    def find(self, table: str, account: str | None = None) -> TableRef:
        """Return the table of an id, or of a name that only one table of the account has. Raises Refused."""
        text = table.strip()
        with self._database.read() as session:
            account_id = None if account is None else find_account(session, account).id
            number = self._ids.open_table(text)
            holder = None if number is None else store.find_account(session, number)
            if number is not None and holder is not None and account_id in (None, holder):
                return TableRef(holder, number)
            if account_id is None:
                raise Refused(
                    f"No table {text!r}; give an id as `firmograph table list --account NAME` shows it, or a name"
                    " with --account"
                )
            own = AccountSession(session, account_id)
            named = [each for each in store.select_tables(own) if name_key(each.name) == name_key(text)]
        if not named:
            raise Refused(
                f"The account {account!r} has no table {text!r}; list its tables with `firmograph table list`"
            )
        if len(named) > 1:
            ids = ", ".join(self._ids.table_id(each.id) for each in named)
            raise Refused(f"{len(named)} tables are named {text!r}; give one of the ids {ids}")
        return TableRef(account_id, named[0].id)

    def create(self, account: str, email: str, entity: Entity, name: str, *, shared: bool) -> TableStatus:
        """Create a table for a user of the account. Raises Refused, and Forbidden at the account's maximum."""
        try:
            trimmed = shapes.trim_name(msgspec.convert(name, shapes.TableName))
        except (msgspec.ValidationError, BadRequest):
            raise Refused("A table's name has 1 to 255 characters once trimmed, and no line break") from None
        with self._database.read() as session:
            account_id = find_account(session, account).id
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            owner = _user(own, email)
            new = NewTable(int(entity), trimmed, owner.id, "workspace", shared)
            try:
                number = create_table(own, new, self._clock.seconds())
            except Conflict:
                _refuse_name(owner, entity, trimmed)
            return self._views.status(own, live_table(own, number))

    def list_tables(self, account: str) -> list[TableView]:
        """Return all tables of an account, newest first, archived ones too."""
        with self._database.read() as session:
            own = AccountSession(session, find_account(session, account).id)
            return self._views.tables(own, store.select_tables(own))

    def status(self, ref: TableRef) -> TableStatus:
        with self._database.read() as session:
            own = AccountSession(session, ref.account_id)
            return self._views.status(own, live_table(own, ref.number))

    def give(self, ref: TableRef, email: str) -> TableStatus:
        """Make a user of the account the owner. Raises Refused if that user has a table of the name."""
        with self._database.write(account_scope(ref.account_id)) as session:
            own = AccountSession(session, ref.account_id)
            table, owner = live_table(own, ref.number), _user(own, email)
            entity = Entity(table.entity)
            try:
                check_name_is_free(own, owner.id, entity, table.name, besides=table.id)
            except Conflict:
                _refuse_name(owner, entity, table.name)
            store.update_table(own, table._replace(owner_id=owner.id))
            return self._views.status(own, live_table(own, ref.number))

    def delete(self, ref: TableRef) -> None:
        """Delete a table and end its runs."""
        with self._database.write(account_scope(ref.account_id)) as session:
            own = AccountSession(session, ref.account_id)
            delete_table(own, live_table(own, ref.number), self._clock.seconds())

    # --- rows ---

    def add_rows(self, ref: TableRef, numbers: Sequence[int], request_id: str) -> AddedBatch:
        """Add records, at most those of one call, and charge new companies.

        Raises Forbidden if they do not fit, and PaymentRequired if the credits do not suffice; nothing is added then.
        """
        at = self._clock.seconds()
        with self._database.write(account_scope(ref.account_id)) as session:
            own = AccountSession(session, ref.account_id)
            addition = self._addition.add(own, live_table(own, ref.number), numbers, at)
            plan = find_plan(session, self._plans, ref)
            subject = TABLE_SUBJECT.format(self._ids.table_id(ref.number))
            paid = self._paid_units.pay(own, plan, request_id, addition.units, at, subject)
        return AddedBatch(
            len(addition.added), len(addition.present), frozenset(addition.missing), paid.credits
        )


def find_plan(session: Session, plans: Plans, ref: TableRef) -> Plan:
    """Return the plan of a table's account."""
    return plans.named(find_account(session, str(ref.account_id)).plan)


def live_table(session: AccountSession, number: int) -> RecordTable:
    """Return a table. Raises Refused if it was deleted."""
    table = store.find_table(session, number)
    if table is None:
        raise Refused("The table was deleted; list the tables with `firmograph table list --account NAME`")
    return table


def _user(session: AccountSession, email: str) -> User:
    user = find_user(session, email)
    if user is None:
        raise Refused(
            f"{email} is no user of the account; see `firmograph user list`, or add it with `firmograph user add`"
        )
    return user


def _refuse_name(owner: User, entity: Entity, name: str) -> NoReturn:
    raise Refused(
        f"{owner.email} has another table of {ENTITY_TYPES[entity]} named {name!r}; rename one of them"
    )
