"""Of whoever was suppressed since a backup no news come back with it.

See docs/reference/backup.md#what-a-restore-keeps.
"""

import pytest

from firmograph.backup.preserved_erasures import Preserved
from firmograph.directory.records import Company
from news_factory import article, import_news, stored_news
from post_factory import count_orphans, database_contains
from record_factory import contact, load_companies, load_contacts

ROWS = [
    article(1, "Acme appoints Jane Doe as chief executive"),
    article(2, "Globex appoints Jane Doe as chief executive"),
    article(3, "Acme appoints Sam Roe as chief executive"),
]


@pytest.fixture
def kept(here, file):
    """A backup of news about Jane Doe of Acme, another Jane Doe, and Sam Roe, of whom there is no record."""
    fill(here)
    return here.back_up(file)


def fill(installation):
    names = ("Acme", "Globex")
    load_companies(
        installation.database, "crm", [Company(name=name, domain=f"{name}.example") for name in names]
    )
    jane = contact(company="Acme", emails=["jane@example.com"])
    load_contacts(installation.database, "crm", [jane])
    import_news(installation.database, installation.folder, ROWS)


def test_news_that_name_who_was_suppressed_since_go_as_a_whole(here, kept):
    here.suppress(email="jane@example.com")
    here.restore(kept)
    assert [title for _, title in stored_news(here.database)] == [ROWS[2]["title"], ROWS[1]["title"]]
    assert not database_contains(here.database, "Acme appoints Jane")
    assert count_orphans(here.database) == 0
    query = "SELECT entity_id FROM changes WHERE entity = 2 ORDER BY sequence DESC LIMIT 1"
    assert here.rows(query) == [(1,)]
    assert import_news(here.database, here.folder, ROWS).suppressed == 1


def test_on_another_database_too(here, make_installation, kept):
    there = make_installation("there")
    jane = contact(company="Acme", emails=["jane@example.com"])
    load_contacts(there.database, "crm", [jane])
    there.suppress(email="jane@example.com")
    there.restore(kept)
    assert [title for _, title in stored_news(there.database)] == [ROWS[2]["title"], ROWS[1]["title"]]


def test_without_a_suppression_all_news_come_back(here, kept):
    before = stored_news(here.database)
    assert here.restore(kept) == Preserved()
    assert stored_news(here.database) == before
    assert len(before) == 3
