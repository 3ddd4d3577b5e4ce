"""Of whoever was suppressed since a backup no signal comes back with it.

See docs/reference/backup.md#what-a-restore-keeps.
"""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmograph.backup.preserved_erasures import Preserved
from firmograph.database.connection import RECORDS
from firmograph.database.schema import prepare, take_back
from firmograph.directory.records import Company, CompanyLinks
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, JobMove
from firmograph.signals.store import put
from post_factory import ACME, JANE, SAM, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import DIGESTS, contact, load_companies, load_contacts

MENTIONING = post(
    2, author=ACME, contactsMentioned=[{"fullName": "Sam Roe", "linkedinUrl": SAM}], summary="Sam Roe says"
)
ROWS = [post(1), MENTIONING, post(3, author=ACME)]


@pytest.fixture
def kept(here, file):
    """A backup of posts by Jane Doe, contact 1, about Sam Roe, of whom there is no record, and about nobody."""
    fill(here)
    return here.back_up(file)


def fill(installation):
    acme = Company(name="Acme", domain="acme.test", social_links=CompanyLinks(linkedin=ACME))
    load_companies(installation.database, "test", [acme])
    jane = contact(linkedin=JANE, company="Acme", emails=["jane@example.com"])
    load_contacts(installation.database, "test", [jane])
    load(installation, *ROWS)


def load(installation, *rows):
    return import_posts(installation.database, installation.folder, rows).summary


def urls(installation):
    return [event["activityUrl"] for _, event in stored_posts(installation.database)]


def test_posts_that_name_who_was_suppressed_since_go_as_a_whole(here, kept):
    here.suppress(linkedin=JANE)
    here.suppress(linkedin=SAM)
    here.restore(kept)
    assert urls(here) == [ROWS[2]["url"]]
    assert count_orphans(here.database) == 0
    query = "SELECT entity_id FROM changes WHERE entity = 2 ORDER BY sequence DESC LIMIT 1"
    assert here.rows(query) == [(1,)]


def test_the_next_import_brings_back_the_post_without_the_name(here, kept):
    here.suppress(linkedin=SAM)
    here.restore(kept)
    assert load(here, *ROWS).signals == 1
    (event,) = [
        event for _, event in stored_posts(here.database) if event["activityUrl"] == MENTIONING["url"]
    ]
    assert (event["contactsMentioned"], event["activitySummary"]) == ([], None)
    assert not database_contains(here.database, "sam-roe")


def test_without_a_suppression_all_signals_come_back(here, kept):
    before = stored_posts(here.database)
    load(here, post(4))
    assert here.restore(kept) == Preserved()
    assert stored_posts(here.database) == before


@pytest.mark.parametrize("lifted", [False, True])
def test_signals_of_who_was_erased_stay_away_even_if_the_suppression_was_lifted(here, file, lifted):
    load_contacts(here.database, "test", [contact("Al", "Orr"), contact("Al", "Lone", company="Acme")])
    fill(here)
    load(here, post(5, author={"fullName": "Al Lone", "company": "Acme"}))
    move = JobMove(1, "Acme", "acme.test", "VP", "Sales", "VP", 1, "Acme", "acme.test", "Head")
    with here.database.write(RECORDS) as session:
        signals = [Detected(Entity.CONTACT, n, "promotion", "k", "2025-01-01", move) for n in (1, 2)]
        put(session, DIGESTS, signals, 0.0)
    kept = here.back_up(file)
    token = here.suppression._tokens.seal(Entity.CONTACT, 2)
    assert here.suppress(id=token) == 1
    if lifted:
        here.suppression.unsuppress(here.suppression.person(id=token))
    here.restore(kept)
    assert here.rows("SELECT entity_id FROM signals WHERE entity = 1") == [(1,)]
    assert post(5)["url"] not in urls(here)
    assert len(urls(here)) == 3


def test_by_number_of_who_has_lost_the_page_since(here, file):
    fill(here)
    kept_page = contact(
        "Zoe", "Orr", linkedin="linkedin.com/in/zoe", emails=["zoe@example.com"], day="2025-01-01"
    )
    load_contacts(here.database, "test", [("z", kept_page)])
    load(here, post(5, author=ACME, contactsMentioned=[{"linkedinUrl": "linkedin.com/in/zoe"}]))
    load_contacts(
        here.database, "test", [("z", contact("Zoe", "Orr", emails=["zoe@example.com"], day="2025-02-01"))]
    )
    kept = here.back_up(file)
    here.suppress(email="zoe@example.com")
    here.restore(kept)
    assert post(5)["url"] not in urls(here)


def test_on_another_database_numbers_mean_nothing_and_pages_everything(here, make_installation, kept):
    there = make_installation("there")
    load_contacts(there.database, "test", [contact("Zoe", "Orr", emails=["zoe@example.com"])])
    there.suppress(email="zoe@example.com")
    there.suppress(linkedin=SAM)
    there.restore(kept)
    assert urls(there) == [ROWS[0]["url"], ROWS[2]["url"]]


def test_a_backup_from_before_there_were_signals_is_restored_too(here, file):
    fill(here)
    take_back(here.database, "0003")
    kept = here.back_up(file)
    prepare(here.database)
    here.suppress(linkedin=JANE)
    assert here.restore(kept).erased == 1
    assert urls(here) == []


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
@settings(max_examples=12)
def test_whatever_is_backed_up_and_restored_nothing_of_a_suppressed_person_is_in_any_signal(
    make_installation, steps
):
    here = make_installation(f"here-{next(_numbers)}")
    file = here.folder / "backup"
    fill(here)
    here.back_up(file)
    suppressed, kept = set(), set()
    for what, which in steps:
        if what == "import":
            load(here, *which)
        elif what == "suppress":
            here.suppress(linkedin=PAGES[which])
            suppressed.add(which)
        elif what == "lift":
            here.suppression.unsuppress(here.suppression.person(linkedin=PAGES[which]))
            suppressed.discard(which)
        elif what == "back up":
            here.back_up(file)
            kept = set(suppressed)
        else:
            here.restore(file)
            suppressed |= kept
        told = str(stored_posts(here.database))
        assert not any(NAMES[each] in told or PAGES[each] in told for each in suppressed)
        assert count_orphans(here.database) == 0
