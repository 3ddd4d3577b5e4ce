"""Of whoever was suppressed since a backup no summary of a post comes back with it.

See docs/reference/backup.md#what-a-restore-keeps.
"""

import pytest

from firmograph.directory.records import Company, CompanyLinks
from post_factory import ACME, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import contact, load_companies, load_contacts

ROWS = [
    post(1, author=ACME, summary="Globex hires Ben Hart for kubernetes"),
    post(2, author=ACME, summary="Initech hires Ben Hart for kubernetes"),
]


@pytest.fixture
def kept(here, file):
    """A backup of posts whose summaries name Ben Hart of Globex, and another Ben Hart."""
    acme = Company(name="Acme", domain="acme.example", social_links=CompanyLinks(linkedin=ACME))
    others = [Company(name=name, domain=f"{name}.example") for name in ("Globex", "Initech")]
    load_companies(here.database, "crm", [acme, *others])
    ben(here)
    import_posts(here.database, here.folder, ROWS)
    return here.back_up(file)


def ben(installation):
    person = contact("Ben", "Hart", company="Globex", emails=["ben@example.com"])
    load_contacts(installation.database, "crm", [person])


def told(installation):
    return [
        (event["activityUrl"], event["activitySummary"]) for _, event in stored_posts(installation.database)
    ]


OTHERS = [(ROWS[1]["url"], ROWS[1]["summary"])]


def test_the_post_goes_as_a_whole_and_the_next_import_brings_it_back_without_the_summary(here, kept):
    here.suppress(email="ben@example.com")
    here.restore(kept)
    assert told(here) == OTHERS
    assert count_orphans(here.database) == 0
    assert import_posts(here.database, here.folder, ROWS).summary.signals == 1
    assert told(here) == [*OTHERS, (ROWS[0]["url"], None)]
    assert not database_contains(here.database, "Globex hires")


def test_on_another_database_too(here, make_installation, kept):
    there = make_installation("there")
    ben(there)
    there.suppress(email="ben@example.com")
    there.restore(kept)
    assert told(there) == OTHERS
