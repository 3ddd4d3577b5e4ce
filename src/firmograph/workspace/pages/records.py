"""Pages of records: one of them, the prices of several, their reveal, and their way into a table."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Session
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.enrichment.service import Enrichment
from firmograph.enrichment.shapes import CompanyEnrich, ContactEnrich
from firmograph.kit.errors import BadRequest, NotFound
from firmograph.record_tables.answers import TableView
from firmograph.record_tables.rows.calls import RowCalls
from firmograph.record_tables.service import Tables
from firmograph.record_tables.shapes import AddCompanies, AddContacts, ListTables
from firmograph.security.record_ids import Entity, MalformedId
from firmograph.workspace import AT
from firmograph.workspace.answers import Answer, HtmlPage
from firmograph.workspace.charging_forms import new_key, read_key
from firmograph.workspace.pages.record_signals import price_events, read_signals
from firmograph.workspace.record_kinds import RecordPages, curl, decode, pages_of
from firmograph.workspace.record_rows import COLUMNS, RecordRow, name_of, read_row
from firmograph.workspace.revealed_facts import RecordFact, read_facts
from firmograph.workspace.visit import Visit

_MOST: Final = 100
"""Records of one form, as of one call."""


class PointPrice(NamedTuple):
    """Data point of several records, with its price."""

    field: str
    records: int
    """Records that have it, and of which the account has not paid it."""
    credits: int
    """Credits at most: a value that turns out empty is not paid."""


class RevealedRecord(NamedTuple):
    """Record that was revealed, or the reason why it was not."""

    id: str
    name: str
    facts: Sequence[RecordFact]
    problem: str = ""


# --- one record ---


def show_record(visit: Visit) -> Answer:
    """Show what the account has revealed of a record, else its preview, with its signals; for nothing."""
    kind, record_id = pages_of(visit), visit.parameters["record"]
    with visit.installation.database.read() as session:
        rows = _read_rows(visit, session, kind.entity, [record_id])
        if not rows:
            raise NotFound(f"There is no such {kind.entity.singular}; it may have been removed")
        paid = _paid(visit, session, kind.entity, rows)
        signals = read_signals(visit, session, kind.entity, rows[0][1])
    row = rows[0][0]
    units = sorted(unit for _, unit in paid)
    record, call = _read_revealed(visit, kind, record_id, units)
    values: dict[str, Any] = {
        "kind": kind,
        "row": row,
        "columns": COLUMNS[kind.entity],
        "facts": read_facts(record),
        "is_revealed": bool(units),
        "signals": signals,
        "event_prices": price_events(visit, kind.entity, signals),
        "event_key": new_key(),
        "call": call,
        **_offers(visit, kind, rows, paid),
    }
    return HtmlPage("record.html", values)


def _read_revealed(
    visit: Visit, kind: RecordPages, record_id: str, units: Sequence[str]
) -> tuple[dict[str, Any], str]:
    """Return what is paid of a record, and the call that answers it; nothing and that of the preview else."""
    if kind.entity is Entity.COMPANY and COMPANY_BASE not in units:
        units = ()
    if not units:
        item = {"id": record_id}
        return {}, curl(visit, f"/v3/{kind.name}/search", {kind.name: [item]})
    reveal = [unit for unit in units if unit != COMPANY_BASE]
    body: dict[str, Any] = {"ids": [record_id], **({"reveal": reveal} if reveal else {})}
    charged = _enrich(visit, kind, body).read()
    record = msgspec.json.decode(charged.content.results[0]) if charged else {}
    return record, curl(visit, f"/v3/{kind.name}/enrich", body)


def _enrich(visit: Visit, kind: RecordPages, body: dict[str, Any], *, key: Any = None) -> Any:
    """Return the call that reveals, as the API makes it."""
    shape = ContactEnrich if kind.entity is Entity.CONTACT else CompanyEnrich
    calls: Any = visit.installation.get(Enrichment).of(kind.entity)
    return calls.enrich(visit.request(key), decode(visit, shape, body))


# --- several records ---


def show_prices(visit: Visit) -> Answer:
    """Show what revealing the chosen records costs, before it costs anything."""
    kind = pages_of(visit)
    ids = visit.form.get("every_id" if visit.typed("whole_page") else "id", ())
    rows = _chosen(visit, kind, ids)
    with visit.installation.database.read() as session:
        paid = _paid(visit, session, kind.entity, rows)
    values = {
        "kind": kind,
        "rows": [row for row, _ in rows],
        "columns": COLUMNS[kind.entity],
        **_offers(visit, kind, rows, paid),
    }
    return HtmlPage("reveal.html", values)


def reveal(visit: Visit) -> Answer:
    """Reveal records, and show them with what that has cost."""
    kind = pages_of(visit)
    rows = _chosen(visit, kind, visit.form.get("id", ()))
    points = [one for one in visit.form.get("reveal", ()) if one != COMPANY_BASE]
    if kind.entity is Entity.CONTACT and not points:
        raise BadRequest(
            "Choose what to reveal: go back and tick e-mails, phones or both. Nothing was charged"
        )
    body: dict[str, Any] = {"ids": [row.id for row, _ in rows], **({"reveal": points} if points else {})}
    key = read_key(visit, f"{AT}/{kind.name}/reveal", msgspec.json.encode(body))
    charged = _enrich(visit, kind, body, key=key).charge()
    values = {
        "kind": kind,
        "records": [_revealed(row, one) for (row, _), one in zip(rows, charged.content.results, strict=True)],
        "credits": charged.credits,
        "call": curl(visit, f"/v3/{kind.name}/enrich", body),
    }
    return HtmlPage("revealed.html", values)


def add_to_table(visit: Visit) -> Answer:
    """Add records to a table of the user."""
    kind, table_id = pages_of(visit), visit.typed("table")
    rows = _chosen(visit, kind, visit.form.get("id", ()))
    shape = AddContacts if kind.entity is Entity.CONTACT else AddCompanies
    body = {"entityIds": [row.id for row, _ in rows], "owner": {"email": visit.membership.email}}
    key = read_key(visit, f"{AT}/{kind.name}/add/{table_id}", msgspec.json.encode(body))
    charged = visit.installation.get(RowCalls).add(
        visit.request(key), decode(visit, shape, body), kind.entity, table_id
    )
    values = {
        "kind": kind,
        "added": charged.content,
        "credits": charged.credits,
        "table": next((one for one in _tables(visit, kind) if one.table_id == table_id), None),
        "call": curl(visit, f"/v3/{kind.name}/tables/{table_id}/entities", body),
    }
    return HtmlPage("added.html", values)


def _revealed(row: RecordRow, result: bytes) -> RevealedRecord:
    record = msgspec.json.decode(result)
    if "error" in record:
        return RevealedRecord(row.id, row.name, (), record["error"].get("message", "It was not found"))
    return RevealedRecord(row.id, name_of(record), read_facts(record))


def _chosen(visit: Visit, kind: RecordPages, ids: Sequence[str]) -> list[tuple[RecordRow, int]]:
    """Return the rows of chosen records with their numbers. Raises BadRequest for none, or too many."""
    if not ids:
        raise BadRequest(f"No {kind.entity.singular} is ticked; go back, tick some, and try again")
    if len(ids) > _MOST:
        raise BadRequest(f"At most {_MOST} {kind.name} at once; {len(ids)} are ticked")
    with visit.installation.database.read() as session:
        rows = _read_rows(visit, session, kind.entity, ids)
    if not rows:
        raise NotFound(f"None of these {kind.name} is held any more")
    return rows


def _read_rows(
    visit: Visit, session: Session, entity: Entity, ids: Sequence[str]
) -> list[tuple[RecordRow, int]]:
    """Return the rows of records that are held, with their numbers."""
    numbers = []
    for one in dict.fromkeys(ids):
        try:
            numbers.append(visit.installation.record_ids.open(entity, one))
        except MalformedId:
            continue
    held = [number for number in numbers if number is not None]
    enrichment = visit.installation.get(Enrichment)
    previews = enrichment.of(entity).previews(session, visit.request().caller, held)
    return [(read_row(entity, previews[number]), number) for number in held if number in previews]


def _paid(
    visit: Visit, session: Session, entity: Entity, rows: Sequence[tuple[RecordRow, int]]
) -> set[tuple[int, str]]:
    paid_units = visit.installation.get(PaidUnits)
    return paid_units.paid(visit.own(session), entity, sorted(number for _, number in rows))


def _offers(
    visit: Visit,
    kind: RecordPages,
    rows: Sequence[tuple[RecordRow, int]],
    paid: set[tuple[int, str]],
) -> dict[str, Any]:
    """Return what the forms of a page offer: data points and tables with their prices, and keys."""
    plan, paid_units = visit.request().caller.plan, visit.installation.get(PaidUnits)
    points = [
        (one.field, one.credits)
        for row, number in rows
        for one in row.reveals
        if (number, one.field) not in paid
    ]
    base = 0
    if kind.entity is Entity.COMPANY:
        credits = paid_units.credits_for(plan, kind.entity, COMPANY_BASE)
        unpaid = [(COMPANY_BASE, credits) for _, number in rows if (number, COMPANY_BASE) not in paid]
        base = sum(credits for _, credits in unpaid)
        points = [*unpaid, *points]
    prices = []
    for field in dict.fromkeys(field for field, _ in points):
        of_field = [credits for each, credits in points if each == field]
        prices.append(PointPrice(field, len(of_field), sum(of_field)))
    return {
        "prices": prices,
        "ids": [row.id for row, _ in rows],
        "tables": _tables(visit, kind) if plan.features["tables"] else [],
        "table_credits": base,
        "reveal_key": new_key(),
        "table_key": new_key(),
    }


def _tables(visit: Visit, kind: RecordPages) -> list[TableView]:
    """Return the tables that the user may add to."""
    body = decode(visit, ListTables, {"owner": {"email": visit.membership.email}, "status": "active"})
    return visit.installation.get(Tables).list_tables(visit.request(), body, kind.entity).tables
