"""News about people suppressed after a backup, at its restore.

See docs/reference/backup.md#what-a-restore-keeps.
"""

from firmograph.backup.protections import Preserved
from firmograph.directory.records import Company
from news_factory import article, import_news, stored_news
from post_factory import count_orphans, database_contains
from record_factory import contact, load_companies, load_contacts

ROWS = [
    article(1, "Acme appoints Jane Doe as chief executive"),
    article(2, "Globex appoints Jane Doe as chief executive"),
    article(3, "Acme appoints Sam Roe as chief executive"),
]


def fill(installation):
    """Add news about Jane Doe of Acme, another Jane Doe, and Sam Roe, who has no record."""
    names = ("Acme", "Globex")
    load_companies(
        installation.database, "crm", [Company(name=name, domain=f"{name}.example") for name in names]
    )
    jane = contact(company="Acme", emails=["jane@example.com"])
    load_contacts(installation.database, "crm", [jane])
    import_news(installation.database, installation.folder, ROWS)


def test_a_restore_deletes_news_about_people_suppressed_since(filled, backup_file):
    filled.suppress(email="jane@example.com")
    filled.restore(backup_file)
    assert [title for _, title in stored_news(filled.database)] == [ROWS[2]["title"], ROWS[1]["title"]]
    assert not database_contains(filled.database, "Acme appoints Jane")
    assert count_orphans(filled.database) == 0
    query = "SELECT entity_id FROM changes WHERE entity = 2 ORDER BY sequence DESC LIMIT 1"
    assert filled.rows(query) == [(1,)]
    assert import_news(filled.database, filled.folder, ROWS).suppressed == 1


def test_a_restore_deletes_news_about_people_suppressed_in_another_database(make_installation, backup_file):
    other = make_installation("other")
    jane = contact(company="Acme", emails=["jane@example.com"])
    load_contacts(other.database, "crm", [jane])
    other.suppress(email="jane@example.com")
    other.restore(backup_file)
    assert [title for _, title in stored_news(other.database)] == [ROWS[2]["title"], ROWS[1]["title"]]


def test_all_news_are_restored_without_a_suppression(filled, backup_file):
    before = stored_news(filled.database)
    assert filled.restore(backup_file) == Preserved()
    assert stored_news(filled.database) == before
    assert len(before) == 3
