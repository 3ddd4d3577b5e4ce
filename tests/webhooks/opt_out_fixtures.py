"""Reveals of a person to accounts, and the opt-out notices queued for them."""

from typing import Any

import msgspec
from webhook_fixtures import CONTACT, World

from firmograph.billing import exposure_store
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.paid_units import PaidUnits, record_paid
from firmograph.billing.types import Unit
from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.records import CompanyRef, Phone
from firmograph.webhooks.opt_outs.service import OptOuts
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_contacts

ZOE = "zoe@zoe.example.com"
ZOE_PHONE = "+12025550187"
ZOE_PAGE = "https://www.linkedin.com/in/zoe-ångström"


class OptOutWorld:
    """A `World` with a sixth contact, Zoë Ångström."""

    zoe = 6

    def __init__(self, world: World) -> None:
        self.world = world
        self.database = world.database
        self.suppression = make_suppression(world.database, KEYRING, world.clock)
        person = contact(
            "Zoë",
            "Ångström",
            emails=[ZOE, "private@zoe.example.com"],
            phones=[Phone(number=ZOE_PHONE)],
            linkedin=ZOE_PAGE,
            title='Head of "Sales" / R&D',
            company=CompanyRef(name="Company 1", domain="c1.example.com"),
        )
        load_contacts(world.database, "test", [("zoe", person)])

    def reveal(
        self, account: int, *units: str, partner: str = "", number: int = zoe, again: bool = False
    ) -> None:
        """Reveal units as enrich does: paid units are not paid again, except with `again` (the payment has expired)."""
        at = self.world.clock.seconds()
        with self.database.write(account_scope(account)) as session:
            paid = (
                set()
                if again
                else PaidUnits(self.world.clock).paid(AccountSession(session, account), CONTACT, [number])
            )
            new = [unit for unit in units if (number, unit) not in paid]
            record_paid(
                AccountSession(session, account), [Unit(CONTACT, number, unit) for unit in new], "call", at
            )
            if partner:
                exposures = [Exposure(account, number, partner, unit, at) for unit in units]
                exposure_store.add(AccountSession(session, account), exposures)

    def suppress(self, **by: str) -> int:
        return self.suppression.suppress(self.suppression.person(**(by or {"email": ZOE})))

    def opt_outs(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the queued notices as (public id of the subscription, payload)."""
        tokens = {one.id: one.token for one in self.world.subscriptions()}
        return [
            (tokens[row["subscription_id"]], msgspec.json.decode(self.payload(row)))
            for row in self.world.deliveries()
            if row["signal_id"] is None
        ]

    def payload(self, row: dict[str, Any]) -> bytes:
        """Return the decrypted payload of a delivery."""
        return OptOuts(KEYRING).open(row["payload_id"], row["body"])
