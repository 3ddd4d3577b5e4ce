"""Signals about people suppressed after a backup, at its restore.

See docs/reference/backup.md#what-a-restore-keeps.
"""

import shutil
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.backup.protections import Preserved
from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company, CompanyLinks
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, JobMove
from firmograph.signals.store import store_signals
from post_factory import ACME, JANE, SAM, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import DIGESTS, contact, load_companies, load_contacts

MENTIONING = post(
    2, author=ACME, contactsMentioned=[{"fullName": "Sam Roe", "linkedinUrl": SAM}], summary="Sam Roe says"
)
ROWS = [post(1), MENTIONING, post(3, author=ACME)]


def fill(installation):
    """Add posts by Jane Doe, contact 1, about Sam Roe, who has no record, and about nobody."""
    acme = Company(name="Acme", domain="acme.test", social_links=CompanyLinks(linkedin=ACME))
    load_companies(installation.database, "test", [acme])
    jane = contact(linkedin=JANE, company="Acme", emails=["jane@example.com"])
    load_contacts(installation.database, "test", [jane])
    load(installation, *ROWS)


def load(installation, *rows):
    return import_posts(installation.database, installation.folder, rows).summary


def urls(installation):
    return [event["activityUrl"] for _, event in stored_posts(installation.database)]


def mentions(installation):
    return {
        event["activityUrl"]: event["contactsMentioned"] for _, event in stored_posts(installation.database)
    }


def test_a_restore_takes_people_suppressed_since_out_of_posts_as_suppression_does(filled, backup_file):
    filled.suppress(linkedin=JANE)
    filled.suppress(linkedin=SAM)
    suppressed = stored_posts(filled.database)
    filled.restore(backup_file)
    assert stored_posts(filled.database) == suppressed
    assert urls(filled) == [ROWS[1]["url"], ROWS[2]["url"]]
    assert not database_contains(filled.database, "sam-roe")
    assert count_orphans(filled.database) == 0
    query = "SELECT entity_id FROM changes WHERE entity = 2 ORDER BY sequence DESC LIMIT 1"
    assert filled.rows(query) == [(1,)]


def test_a_post_that_mentions_a_person_stays_without_the_name(filled, backup_file):
    filled.suppress(linkedin=SAM)
    filled.restore(backup_file)
    (event,) = [
        event for _, event in stored_posts(filled.database) if event["activityUrl"] == MENTIONING["url"]
    ]
    assert (event["contactsMentioned"], event["activitySummary"]) == ([], None)
    assert load(filled, *ROWS).signals == 0
    assert not database_contains(filled.database, "sam-roe")


def test_all_signals_are_restored_without_a_suppression(filled, backup_file):
    before = stored_posts(filled.database)
    load(filled, post(4))
    assert filled.restore(backup_file) == Preserved()
    assert stored_posts(filled.database) == before


@pytest.mark.parametrize("lifted", [False, True])
def test_signals_of_an_erased_person_stay_deleted_even_after_the_suppression_was_lifted(
    installation, file, lifted
):
    load_contacts(
        installation.database, "test", [contact("Al", "Orr"), contact("Al", "Lone", company="Acme")]
    )
    fill(installation)
    load(installation, post(5, author={"fullName": "Al Lone", "company": "Acme"}))
    move = JobMove(1, "Acme", "acme.test", "VP", "Sales", "VP", 1, "Acme", "acme.test", "Head")
    with installation.database.write(RECORDS) as session:
        signals = [Detected(Entity.CONTACT, n, "promotion", "k", "2025-01-01", move) for n in (1, 2)]
        store_signals(session, DIGESTS, signals, 0.0)
    backup_file = installation.back_up(file)
    token = installation.suppression._tokens.seal(Entity.CONTACT, 2)
    assert installation.suppress(id=token) == 1
    if lifted:
        installation.suppression.unsuppress(installation.suppression.person(id=token))
    installation.restore(backup_file)
    assert installation.rows("SELECT entity_id FROM signals WHERE entity = 1") == [(1,)]
    assert post(5)["url"] not in urls(installation)
    assert len(urls(installation)) == 3


def test_a_person_without_page_is_found_in_posts_by_the_record_number(installation, file):
    fill(installation)
    with_page = contact(
        "Zoe", "Orr", linkedin="linkedin.com/in/zoe", emails=["zoe@example.com"], day="2025-01-01"
    )
    load_contacts(installation.database, "test", [("z", with_page)])
    load(installation, post(5, author=ACME, contactsMentioned=[{"linkedinUrl": "linkedin.com/in/zoe"}]))
    load_contacts(
        installation.database,
        "test",
        [("z", contact("Zoe", "Orr", emails=["zoe@example.com"], day="2025-02-01"))],
    )
    backup_file = installation.back_up(file)
    installation.suppress(email="zoe@example.com")
    installation.restore(backup_file)
    assert mentions(installation)[post(5)["url"]] == []


def test_another_database_is_matched_by_pages_and_not_by_record_numbers(make_installation, backup_file):
    other = make_installation("other")
    load_contacts(other.database, "test", [contact("Zoe", "Orr", emails=["zoe@example.com"])])
    other.suppress(email="zoe@example.com")
    other.suppress(linkedin=SAM)
    other.restore(backup_file)
    assert urls(other) == [each["url"] for each in ROWS]
    assert mentions(other)[MENTIONING["url"]] == []


PAGES = [JANE, SAM]
NAMES = ["Jane Doe", "Sam Roe"]
POSTS = st.sampled_from(
    [*ROWS, post(4, author={"fullName": "Sam Roe", "linkedinUrl": SAM, "company": "Acme"})]
)
_numbers = count(1)
STEPS = st.one_of(
    st.tuples(st.just("import"), st.lists(POSTS, min_size=1, max_size=3)),
    st.tuples(st.just("suppress"), st.integers(0, 1)),
    st.tuples(st.just("lift"), st.integers(0, 1)),
    st.tuples(st.sampled_from(["back up", "restore"]), st.none()),
)


@given(st.lists(STEPS, min_size=3, max_size=10))
@settings(max_examples=examples(12))
def test_no_history_of_backups_and_restores_leaves_signals_of_a_suppressed_person(
    make_installation, origin, backup_file, steps
):
    installation = make_installation(f"source-{next(_numbers)}", origin=origin)
    file = shutil.copy(backup_file, installation.folder / "backup")
    suppressed, suppressed_in_backup = set(), set()
    for what, which in steps:
        if what == "import":
            load(installation, *which)
        elif what == "suppress":
            installation.suppress(linkedin=PAGES[which])
            suppressed.add(which)
        elif what == "lift":
            installation.suppression.unsuppress(installation.suppression.person(linkedin=PAGES[which]))
            suppressed.discard(which)
        elif what == "back up":
            installation.back_up(file)
            suppressed_in_backup = set(suppressed)
        else:
            installation.restore(file)
            suppressed |= suppressed_in_backup
        stored = str(stored_posts(installation.database))
        assert not any(NAMES[each] in stored or PAGES[each] in stored for each in suppressed)
        assert count_orphans(installation.database) == 0
