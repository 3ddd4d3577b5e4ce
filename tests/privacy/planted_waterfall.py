"""Values and asks of other providers for a planted person."""

from typing import Final

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.waterfall.asks import ask_store, value_store
from firmograph.waterfall.asks.ask_store import NewAsk
from firmograph.waterfall.asks.value_store import Recipient
from firmograph.waterfall.types import PaidValue

ACCOUNT: Final = 1
AT: Final = 1_790_000_000.0
_PHONES: Final = 2


def fill_waterfall(database: Database, number: int, mark: str) -> None:
    """Write a value, a recipient, a miss and an open ask of a contact."""
    contents = (
        b'[{"number":"+12025550199","type":"unknown","doNotCall":false,"dataSource":"%s"}]' % mark.encode()
    )
    with database.write(account_scope(ACCOUNT)) as session:
        own = AccountSession(session, ACCOUNT)
        value_store.put_value(own, PaidValue(number, _PHONES, "provider", contents, AT, AT, 5))
        value_store.put_recipients(session, [Recipient(number, "provider", AT, AT)])
        value_store.put_misses(session, [(number, 1, "other")], AT)
        ask_store.insert_asks(
            own, [NewAsk(number, 1, "00000000-0000-4000-8000-000000000000")], "operator", None, AT
        )
