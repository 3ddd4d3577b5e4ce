"""A made-up opt-out, for tests of opt-out subscriptions: of nobody, in the shape of real ones (wire-b 8.3)."""

from typing import Final

from firmograph.directory.records import Contact, Email, JobTitle, Phone, SocialLinks
from firmograph.privacy.suppression import Removed
from firmograph.webhooks.opt_outs.service import Told, compose
from firmograph.webhooks.sending.sample_signals import CARD, NUMBER

_DAY: Final = 86_400.0
_NOBODY: Final = Contact(
    first_name="Jane",
    last_name="Example",
    job_title=JobTitle(title="Director of Sales"),
    social_links=SocialLinks(linkedin="https://www.linkedin.com/in/jane-example"),
    emails=[Email(email="jane@example.com")],
    phones=[Phone(number="+12025550123")],
)


def mock_opt_out(contact_id: str, partner: str, at: float) -> bytes:
    """The exact bytes that a test sends at this time, for a partner or, with an empty one, for none."""
    shown_at = at - 30 * _DAY
    told = Told(0, NUMBER, partner, {"emails": shown_at, "phones": shown_at})
    return compose(contact_id, told, Removed(_NOBODY, CARD), at)
