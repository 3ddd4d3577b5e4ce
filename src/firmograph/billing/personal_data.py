"""Personal data of billing: which data points of a person an account was shown."""

from collections.abc import Collection, Iterator
from typing import Final

from firmograph.billing import exposure_store, paid_unit_store
from firmograph.billing.tables import (
    balances,
    credit_periods,
    daily_spending,
    idempotency_keys,
    ledger,
    paid_units,
    partner_reveals,
)
from firmograph.billing.types import UnitKind
from firmograph.database.connection import Session
from firmograph.privacy.declarations import (
    Deletion,
    Impersonal,
    People,
    PersonalData,
    Recipient,
    RecipientKind,
    RecordUses,
    TableData,
    rows_by_number,
)
from firmograph.security.record_ids import Entity

_CODE, _OWN_WORDS = Impersonal.CODE, Impersonal.OWN_WORDS


def remove_exposures(deletion: Deletion) -> None:
    """Delete exposures of contacts to partners of accounts; opt-outs are queued by then."""
    if deletion.entity is Entity.CONTACT:
        exposure_store.delete(deletion.session, deletion.numbers)


def count_paid(session: Session, entity: Entity, numbers: Collection[int]) -> RecordUses:
    """Count the records with a data point that some account has paid."""
    kind = UnitKind.CONTACT_DATA if entity is Entity.CONTACT else UnitKind.COMPANY_DATA
    paid = paid_unit_store.select_payers(session, int(kind), sorted(numbers))
    return RecordUses(len({record for record, _ in paid}), frozenset(account for _, account in paid))


def find_payers(session: Session, people: People) -> Iterator[Recipient]:
    """Yield the accounts that were shown data points of the people, which they paid for."""
    kind, numbers = int(UnitKind.CONTACT_DATA), sorted(people.records)
    for account, unit, first_at, last_at in paid_unit_store.select_exposures(session, kind, numbers):
        yield Recipient(RecipientKind.ACCOUNT, account, "", unit, first_at, last_at)


def find_partners(session: Session, people: People) -> Iterator[Recipient]:
    """Yield the partners on whose behalf accounts were shown data points; only the first time is known."""
    for each in exposure_store.find(session, people.records):
        yield Recipient(
            RecipientKind.PARTNER, each.account_id, each.partner, each.unit, each.first_at, each.first_at
        )


_TABLES = (
    TableData(balances),
    TableData(credit_periods, impersonal={"plan": _CODE, "unused": _CODE}),
    TableData(ledger, impersonal=dict.fromkeys(("request_id", "kind", "action", "subject", "actor"), _CODE)),
    TableData(daily_spending, impersonal={"actor": _CODE}),
    TableData(
        paid_units,
        kept={"record_id": "what is paid stays paid; the number is not used again"},
        retained={"record_id": "number of a record that an account has paid for, which stays paid"},
        # the name of a data point, or the identity of a signal
        impersonal={"unit": Impersonal.KEYED_HASH, "request_id": _CODE},
        find=rows_by_number(paid_units.c.record_id, paid_units.c.kind == int(UnitKind.CONTACT_DATA)),
        place="paid data points",
    ),
    TableData(
        idempotency_keys,
        impersonal={
            "path": _CODE,
            "key": _OWN_WORDS,
            "body_hash": _CODE,
            # a replay renders today's data
            "kept": Impersonal.REFERENCE,
            # id of a table, counts, and one of our own messages
            "table_write": _CODE,
        },
    ),
    TableData(
        partner_reveals,
        erased=("record_id",),
        removed=("record_id",),
        impersonal={"partner": _OWN_WORDS, "unit": _CODE},
        find=rows_by_number(partner_reveals.c.record_id),
        place="data points shown for partners",
    ),
)

PERSONAL_DATA: Final = PersonalData(
    "billing",
    uses=("records",),
    tables=_TABLES,
    removers=(remove_exposures,),
    recipients=(find_payers, find_partners),
    counters={"paidRecords": count_paid},
)
