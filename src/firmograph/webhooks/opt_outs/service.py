"""Opt-outs: requests to remove a suppressed person's data, sent to accounts that were shown it.

See docs/reference/webhooks.md#opt-outs.

The recipients are accounts that paid for e-mails or phones of the record and have an opt-out subscription. For each
record there is one payload for the account itself and one for each partner on whose behalf it was shown data points:

- A partner's payload lists the data points shown for it, the date of its first exposure, and its `partnerClientId`. It
  goes to the account's subscription for that partner, or else to the one without a partner.
- The account's own payload lists the data points it paid for itself, and goes to the subscription without a partner. A
  data point paid for once, in a call for a partner, belongs to the partner's payload. (A free call without a partner
  leaves no exposure, but the account is notified in any case.)

If the chosen subscription was disabled by its owner, there is no delivery and no fallback. One disabled by failures
delivers when it is active again. Data points are the record's current values; the list is empty if none are left, as
accounts that were shown earlier values still have to be notified.

The payload is the last trace of a suppressed person. It is encrypted per delivery and deleted with it: when received,
or after 30 days. Lifting the suppression does not cancel it, as the record is deleted.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.billing import exposure_store
from firmograph.billing.exposure_store import Exposure
from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.privacy.declarations import People, PersonRecord
from firmograph.security.encryption import Encryptor
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.webhooks.opt_outs import store as opt_out_store
from firmograph.webhooks.opt_outs.store import NewOptOut, OptOutSubscription, Reveal
from firmograph.webhooks.sending.payload_shapes import OptOutPayload, RemovedDatapoint

_NO_PARTNER: Final = ""
_json = msgspec.json.Encoder().encode


class OptOutNotice(NamedTuple):
    """Data points shown to an account, for itself or a partner."""

    account_id: int
    number: int
    """Contact number."""
    partner: str
    """Empty for none."""
    units: dict[str, float]
    """Time of the first exposure, by `emails` and `phones`."""


class OptOuts:
    """Creator and decrypter of opt-out payloads."""

    def __init__(self, keyring: Keyring) -> None:
        self._encryptor = Encryptor(keyring, "opt-outs")
        self._digests = Digests(keyring)
        self._tokens = RecordIds(keyring)

    def open(self, payload_id: str, sealed: bytes) -> bytes:
        """Return the exact bytes to send. Raises Unsealable if the encryption key is missing."""
        return self._encryptor.decrypt(sealed, payload_id.encode())

    def queue(self, session: Session, people: People, at: float, requested_at: float) -> None:
        """Queue opt-outs, requested at an earlier time, for the people to accounts that were shown them."""
        revealed = opt_out_store.find_reveals(session, people.records)
        if not revealed:
            return
        exposures = exposure_store.find(session, people.records)
        subscriptions = opt_out_store.find_subscriptions(session, {one.account_id for one in revealed})
        new = [
            self._new(subscription, notice, people.records[notice.number], requested_at)
            for subscription, notice in _route(subscriptions, build_notices(revealed, exposures))
        ]
        opt_out_store.add(session, new, at)

    def _new(
        self, subscription: OptOutSubscription, notice: OptOutNotice, removed: PersonRecord, at: float
    ) -> NewOptOut:
        digest = self._digests.opt_out(subscription.token, notice.number, notice.partner)
        payload_id = str(uuid.UUID(bytes=digest, version=5))
        contact_id = self._tokens.seal(Entity.CONTACT, notice.number)
        body = compose_opt_out(contact_id, notice, removed, at)
        return NewOptOut(payload_id, subscription, self._encryptor.encrypt(body, payload_id.encode()))


def build_notices(revealed: Iterable[Reveal], exposures: Iterable[Exposure]) -> Iterator[OptOutNotice]:
    """Yield the notices for each record, account and partner."""
    partners: dict[tuple[int, int], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for each in exposures:
        partners[each.account_id, each.number][each.partner][each.unit] = each.first_at
    paid: dict[tuple[int, int], list[Reveal]] = defaultdict(list)
    for reveal in revealed:
        paid[reveal.account_id, reveal.number].append(reveal)
    for (account, number), units in sorted(paid.items()):
        for_partners = partners[account, number]
        own = {one.unit: one.first_at for one in units if not _is_of_partner(one, for_partners)}
        if own:
            yield OptOutNotice(account, number, _NO_PARTNER, own)
        for partner, exposed in sorted(for_partners.items()):
            yield OptOutNotice(account, number, partner, exposed)


def _is_of_partner(one: Reveal, partners: Mapping[str, Mapping[str, float]]) -> bool:
    """Return whether it was paid for only once, in a call for a partner."""
    first = {exposed[one.unit] for exposed in partners.values() if one.unit in exposed}
    return one.paid_at == one.first_at and one.first_at in first


def _route(
    subscriptions: Iterable[OptOutSubscription], payloads: Iterable[OptOutNotice]
) -> Iterator[tuple[OptOutSubscription, OptOutNotice]]:
    by_partner = {
        (subscription.account_id, subscription.partner): subscription for subscription in subscriptions
    }
    for notice in payloads:
        subscription = by_partner.get((notice.account_id, notice.partner)) or by_partner.get(
            (notice.account_id, _NO_PARTNER)
        )
        if subscription is not None and subscription.accepts:
            yield subscription, notice


def compose_opt_out(contact_id: str, notice: OptOutNotice, removed: PersonRecord, at: float) -> bytes:
    """Compose the opt-out payload; it has strings only, so it is canonical JSON already."""
    record, company = removed.record, msgspec.json.decode(b"{%s}" % (removed.card or b""))
    links, title = record.social_links, record.job_title
    points = [RemovedDatapoint(each.email, "email") for each in record.emails if "emails" in notice.units]
    points += [RemovedDatapoint(each.number, "phone") for each in record.phones if "phones" in notice.units]
    payload = OptOutPayload(
        contact_id=contact_id,
        full_name=record.full_name or " ".join(filter(None, (record.first_name, record.last_name))),
        contact_opt_out_date=_format_time(at, "milliseconds"),
        contact_exposure_date=_format_time(min(notice.units.values()), "seconds"),
        datapoints=points,
        company_name=company.get("name") or UNSET,
        job_title=(title and title.title) or UNSET,
        linkedin_url=(links and links.linkedin) or UNSET,
        partner_client_id=notice.partner or UNSET,
    )
    return _json(payload)


def _format_time(seconds: float, precision: str) -> str:
    """Format a UTC time as opt-outs do: with a space and without a zone."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(" ", precision)
