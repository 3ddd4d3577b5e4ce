"""Samples that test deliveries send: a signal, or an opt-out."""

from typing import Final, NamedTuple

from firmograph.directory.records import Contact, Email, JobTitle, Phone, SocialLinks
from firmograph.kit.clock import day_of
from firmograph.privacy.declarations import PersonRecord
from firmograph.security.record_ids import Entity
from firmograph.signals.types import ALL_SIGNALS, Signal
from firmograph.webhooks.opt_outs.service import OptOutNotice, compose_opt_out
from firmograph.webhooks.sending.sample_signals import SAMPLE_NUMBER, SAMPLE_SUMMARY, sample_signal
from firmograph.webhooks.subscriptions.store import Subscription
from firmograph.webhooks.types import OPT_OUT

_SAMPLE_TYPES: Final = {Entity.CONTACT: "promotion", Entity.COMPANY: "commercialActivityNews"}
"""Sample types for subscriptions to all signals."""
_DAY: Final = 86_400.0
_SAMPLE_CONTACT: Final = Contact(
    first_name="Jane",
    last_name="Example",
    job_title=JobTitle(title="Director of Sales"),
    social_links=SocialLinks(linkedin="https://www.linkedin.com/in/jane-example"),
    emails=[Email(email="jane@example.com")],
    phones=[Phone(number="+12025550123")],
)


class Sample(NamedTuple):
    """Sample delivery."""

    subscription: Subscription
    secret: str
    payload_id: str
    type: str
    body: bytes
    data: bytes
    """The part of the body that the response shows."""


def sample_opt_out(contact_id: str, partner: str, at: float) -> bytes:
    """Compose the exact bytes of a sample opt-out, for a partner or, if empty, for none."""
    shown_at = at - 30 * _DAY
    notice = OptOutNotice(0, SAMPLE_NUMBER, partner, {"emails": shown_at, "phones": shown_at})
    return compose_opt_out(contact_id, notice, PersonRecord(_SAMPLE_CONTACT, SAMPLE_SUMMARY), at)


def sample_type(subscription: Subscription) -> str:
    """Return the type of the sample for a subscription."""
    if subscription.types == OPT_OUT:
        return OPT_OUT
    first = subscription.types.split(",")[0]
    return _SAMPLE_TYPES[Entity(subscription.entity)] if first == ALL_SIGNALS else first


def sample_as_signal(subscription: Subscription, type: str, at: float) -> Signal:
    """Return the sample as if it were detected now."""
    sample = sample_signal(type)
    return Signal(
        id=subscription.after_signal + 1,
        identity=sample.identity,
        entity=subscription.entity,
        number=subscription.entity_id or 0,
        type=type,
        day=day_of(at).isoformat(),
        detail="",
        event=sample.event,
        detected_at=at,
        quiet=0,
        ahead=0,
    )
