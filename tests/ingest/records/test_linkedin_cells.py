"""LinkedIn cells without a public page: ignored if they mean none, else unread."""

import pytest

from firmograph.ingest.reading.inputs import ContactInput
from firmograph.ingest.records.contact import normalise_contact
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import linkedin

pytestmark = pytest.mark.any_database

MEMBER = "ACoAABcdEfGhIjKlMnOpQrStUvWxYz012345678"
NOTHING, UNREAD = "nothing", "unread"
CELLS = {
    "https://www.linkedin.com/in/N/A": NOTHING,
    "linkedin.com/in/n%2Fa": NOTHING,
    "linkedin.com/in/#N/A": NOTHING,
    "https://www.linkedin.com/in/n.a.": NOTHING,
    "https://www.linkedin.com/in/": NOTHING,
    "https://www.linkedin.com": NOTHING,
    "https://www.linkedin.com/in/-": NOTHING,
    "https://www.linkedin.com/in/unavailable": NOTHING,
    "https://www.linkedin.com/in/undefined?trk=x": NOTHING,
    "N/A": NOTHING,
    f"https://www.linkedin.com/in/{MEMBER}": UNREAD,
    f"https://www.linkedin.com/in/{MEMBER.lower()}": UNREAD,
    f"https://www.linkedin.com/in/{MEMBER.replace('ACo', 'ACw')}?miniProfileUrn=x": UNREAD,
    f"in/{MEMBER}": UNREAD,
    MEMBER: UNREAD,
    "https://www.linkedin.com/in/ACwAAA1example": UNREAD,
    f"https://www.linkedin.com/sales/lead/{MEMBER},NAME_SEARCH,aBcD": UNREAD,
    f"https://www.linkedin.com/sales/people/{MEMBER},NAME_SEARCH,aBcD": UNREAD,
    "https://www.linkedin.com/talent/profile/AEMAAA": UNREAD,
    "https://www.linkedin.com/recruiter/profile/123,abc,CAP": UNREAD,
    "https://www.linkedin.com/profile/view?id=12345": UNREAD,
    "https://www.linkedin.com/in/n": UNREAD,
    f"linkedin.com/in/{MEMBER}; linkedin.com/in/jane-doe": "https://www.linkedin.com/in/jane-doe",
    "https://www.linkedin.com/in/acoaaron-smith": "https://www.linkedin.com/in/acoaaron-smith",
    "https://www.linkedin.com/in/null-jane": "https://www.linkedin.com/in/null-jane",
}


@pytest.mark.parametrize(("cell", "expected"), CELLS.items())
def test_only_a_public_page_is_the_page_of_a_contact(cell, expected):
    notes = Notes()
    links = normalise_contact(ContactInput(full_name="Jane Doe", linkedin_url=cell), notes).social_links
    page = links.linkedin if links else None
    assert (page or (UNREAD if notes.unread else NOTHING)) == expected


def test_pages_of_companies_are_those_of_their_numbers_and_names_but_not_placeholders():
    assert linkedin("https://www.linkedin.com/company/N/A", "company") is None
    assert linkedin("https://www.linkedin.com/company/1", "company") == "https://www.linkedin.com/company/1"
