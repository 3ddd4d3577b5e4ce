"""Opt-outs: accounts that were shown a person who is suppressed are told to remove what they have (decisions G).

Told is whoever paid for e-mails or phones of the record, by an opt-out subscription of its own, and nobody else. Of
each record there is one payload for the account itself and one for each of its partners on whose behalf it was shown
data points:

- A partner's payload has the data points that were shown for it, since when, and its `partnerClientId`. It goes to the
  account's subscription for that partner; where there is none, to the one that is for no partner.
- The account's own payload has the data points that it paid for itself, and goes to the subscription that is for no
  partner. A data point that was paid for in a call for a partner, and never again, is the partner's. (A call that costs
  nothing and names no partner leaves no trace, and need not: the account is told all the same.)

Where the subscription of that choice was disabled by its owner, nobody is told in its place. One that was disabled by
itself is told once it is active again. Data points are the record's values of that moment; the list is empty where it
had none left, as who was shown them earlier still has to know.

The payload is what is left of a person who is suppressed. It is sealed for its delivery, and goes with that: when it is
received, or after 30 days. Lifting the suppression does not call it back, as the record that it tells of is gone.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.privacy.suppression import Gone, Removed
from firmograph.security.encryption import Sealer
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, Tokens
from firmograph.webhooks import exposure_store
from firmograph.webhooks.exposure_store import Exposure
from firmograph.webhooks.opt_outs import store as opt_out_store
from firmograph.webhooks.opt_outs.store import Lane, New, Reveal
from firmograph.webhooks.sending.payload_shapes import OptOutPayload, RemovedDatapoint

_NO_PARTNER: Final = ""
_json = msgspec.json.Encoder().encode


class Told(NamedTuple):
    """One payload: what an account was shown of a contact, for itself or a partner."""

    account_id: int
    number: int
    """Of the contact."""
    partner: str
    """Empty for none."""
    units: dict[str, float]
    """`emails`, `phones`: when each was shown first."""


class OptOuts:
    """Makes opt-outs, as suppression's eraser of what was shown, and opens them when they are sent."""

    def __init__(self, keyring: Keyring) -> None:
        self._sealer = Sealer(keyring, "opt-outs")
        self._digests = Digests(keyring)
        self._tokens = Tokens(keyring)

    def open(self, payload_id: str, sealed: bytes) -> bytes:
        """The exact bytes to send. Raises Unsealable when the key is missing."""
        return self._sealer.open(sealed, payload_id.encode())

    def __call__(self, session: Session, gone: Gone, at: float) -> None:
        """Queue what these people's removal has to be told of, and forget for which partners they were shown."""
        revealed = opt_out_store.reveals(session, gone.people)
        if revealed:
            exposures = exposure_store.of(session, gone.people)
            lanes = opt_out_store.lanes(session, {one.account_id for one in revealed})
            new = [
                self._new(lane, told, gone, at) for lane, told in _routed(lanes, shown(revealed, exposures))
            ]
            opt_out_store.add(session, new, at)
        exposure_store.forget(session, gone.people)

    def _new(self, lane: Lane, told: Told, gone: Gone, at: float) -> New:
        digest = self._digests.opt_out(lane.token, told.number, told.partner)
        payload_id = str(uuid.UUID(bytes=digest, version=5))
        contact_id = self._tokens.seal(Entity.CONTACT, told.number)
        body = compose(contact_id, told, gone.people[told.number], at)
        return New(payload_id, lane, self._sealer.seal(body, payload_id.encode()))


def shown(revealed: Iterable[Reveal], exposures: Iterable[Exposure]) -> Iterator[Told]:
    """What is to be told, of each record, account and partner."""
    partners: dict[tuple[int, int], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for each in exposures:
        partners[each.account_id, each.number][each.partner][each.unit] = each.first_at
    paid: dict[tuple[int, int], list[Reveal]] = defaultdict(list)
    for one in revealed:
        paid[one.account_id, one.number].append(one)
    for (account, number), units in sorted(paid.items()):
        for_partners = partners[account, number]
        own = {one.unit: one.first_at for one in units if not _is_of_partner(one, for_partners)}
        if own:
            yield Told(account, number, _NO_PARTNER, own)
        for partner, theirs in sorted(for_partners.items()):
            yield Told(account, number, partner, theirs)


def _is_of_partner(one: Reveal, partners: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether it was paid for once, in a call for a partner."""
    first = {theirs[one.unit] for theirs in partners.values() if one.unit in theirs}
    return one.paid_at == one.first_at and one.first_at in first


def _routed(lanes: Iterable[Lane], payloads: Iterable[Told]) -> Iterator[tuple[Lane, Told]]:
    by_partner = {(lane.account_id, lane.partner): lane for lane in lanes}
    for told in payloads:
        lane = by_partner.get((told.account_id, told.partner)) or by_partner.get(
            (told.account_id, _NO_PARTNER)
        )
        if lane is not None and lane.told:
            yield lane, told


def compose(contact_id: str, told: Told, removed: Removed, at: float) -> bytes:
    """The payload of wire-b 8.3, as JavaScript gives it back (`payload.py`): it has texts only."""
    record, card = removed.record, msgspec.json.decode(b"{%s}" % (removed.card or b""))
    links, title = record.social_links, record.job_title
    points = [RemovedDatapoint(each.email, "email") for each in record.emails if "emails" in told.units]
    points += [RemovedDatapoint(each.number, "phone") for each in record.phones if "phones" in told.units]
    payload = OptOutPayload(
        contact_id=contact_id,
        full_name=record.full_name or " ".join(filter(None, (record.first_name, record.last_name))),
        contact_opt_out_date=_spaced(at, "milliseconds"),
        contact_exposure_date=_spaced(min(told.units.values()), "seconds"),
        datapoints=points,
        company_name=card.get("name") or UNSET,
        job_title=(title and title.title) or UNSET,
        linkedin_url=(links and links.linkedin) or UNSET,
        partner_client_id=told.partner or UNSET,
    )
    return _json(payload)


def _spaced(seconds: float, precision: str) -> str:
    """A moment in UTC as opt-outs write it: with a space, and without a zone."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(" ", precision)
