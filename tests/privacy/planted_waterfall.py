"""Values and asks of other providers for a planted person."""

from typing import Final

import msgspec
from planted_identity import PlantedIdentity

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.waterfall.asks import ask_store, value_store
from firmograph.waterfall.asks.ask_store import NewAsk
from firmograph.waterfall.asks.value_keys import ValueKeys
from firmograph.waterfall.asks.value_store import AskedProvider
from firmograph.waterfall.types import DATA_POINT_NUMBERS, PaidValue
from record_factory import DIGESTS

ACCOUNT: Final = 1
AT: Final = 1_790_000_000.0
_ANOTHER: Final = 1_000
"""Contact with an address of the person among the values of a provider."""


def fill_waterfall(database: Database, person: PlantedIdentity) -> None:
    """Write values of both data points, a recipient, a miss and an open ask of a contact."""
    values = {
        "emails": [{"email": f"{person.mark}found@people.example.com"}],
        "phones": [{"number": f"+1{person.phone}", "type": "unknown", "doNotCall": False}],
    }
    with database.write(account_scope(ACCOUNT)) as session:
        own = AccountSession(session, ACCOUNT)
        for data_point, value in values.items():
            contents = msgspec.json.encode(value)
            number = DATA_POINT_NUMBERS[data_point]
            _put_value(own, PaidValue(person.number, number, "provider", contents, AT, AT, 5))
        mistaken = msgspec.json.encode([{"email": "cy@globex.test"}, {"email": person.email}])
        _put_value(own, PaidValue(_ANOTHER, 1, "provider", mistaken, AT, AT, 5))
        value_store.put_recipients(session, [AskedProvider(person.number, "provider", AT, AT)])
        value_store.put_misses(session, [(person.number, 1, "other")], AT)
        new = NewAsk(person.number, 1, "00000000-0000-4000-8000-000000000000")
        ask_store.insert_asks(own, [new], "operator", None, AT)


def _put_value(own: AccountSession, value: PaidValue) -> None:
    value_store.put_value(own, value, ValueKeys(DIGESTS).of_contents(value.data_point, value.contents))
