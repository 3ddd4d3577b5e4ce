"""Summaries of posts about people suppressed after a backup, at its restore.

See docs/reference/backup.md#what-a-restore-keeps.
"""

from firmograph.directory.records import Company, CompanyLinks
from post_factory import ACME, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import contact, load_companies, load_contacts

ROWS = [
    post(1, author=ACME, summary="Globex hires Ben Hart for kubernetes"),
    post(2, author=ACME, summary="Initech hires Ben Hart for kubernetes"),
]


def fill(installation):
    """Add posts whose summaries name Ben Hart of Globex, and another Ben Hart."""
    acme = Company(name="Acme", domain="acme.example", social_links=CompanyLinks(linkedin=ACME))
    others = [Company(name=name, domain=f"{name}.example") for name in ("Globex", "Initech")]
    load_companies(installation.database, "crm", [acme, *others])
    load_ben(installation)
    import_posts(installation.database, installation.folder, ROWS)


def load_ben(installation):
    person = contact("Ben", "Hart", company="Globex", emails=["ben@example.com"])
    load_contacts(installation.database, "crm", [person])


def urls_and_summaries(installation):
    return [
        (event["activityUrl"], event["activitySummary"]) for _, event in stored_posts(installation.database)
    ]


WITHOUT = [(ROWS[0]["url"], None), (ROWS[1]["url"], ROWS[1]["summary"])]


def test_a_post_stays_without_a_summary_about_a_person_suppressed_since(filled, backup_file):
    filled.suppress(email="ben@example.com")
    filled.restore(backup_file)
    assert sorted(urls_and_summaries(filled)) == WITHOUT
    assert count_orphans(filled.database) == 0
    assert import_posts(filled.database, filled.folder, ROWS).summary.signals == 0
    assert sorted(urls_and_summaries(filled)) == WITHOUT
    assert not database_contains(filled.database, "Globex hires")


def test_a_restore_deletes_summaries_about_people_suppressed_in_another_database(
    make_installation, backup_file
):
    other = make_installation("other")
    load_ben(other)
    other.suppress(email="ben@example.com")
    other.restore(backup_file)
    assert sorted(urls_and_summaries(other)) == WITHOUT
