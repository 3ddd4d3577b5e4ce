"""No signal contains a suppressed person, and no import restores one.

See docs/reference/signals.md#suppressed-people.
"""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.accounts.service import Accounts
from firmograph.billing.paid_units import record_paid
from firmograph.billing.types import signal_unit
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, AccountSession
from firmograph.directory.records import Company, CompanyLinks
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.privacy import suppression_file
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.events import Detected, JobMove
from firmograph.signals.store import store_signals
from post_factory import ACME, JANE, SAM, count_orphans, database_contains, import_posts, post, stored_posts
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from suppression_factory import suppression_of

MENTIONING = post(2, author=ACME, contactsMentioned=[{"fullName": "Sam Roe", "linkedinUrl": SAM}])

ZOE = {"linkedinUrl": "https://www.linkedin.com/in/zoe-orr", "company": "Acme"}
"""Nobody's record."""


def prepared(database):
    """Fill a database with Acme, record 1, Jane Doe and Sam Roe, contacts 1 and 2."""
    acme = Company(name="Acme", domain="acme.test", social_links=CompanyLinks(linkedin=ACME))
    load_companies(database, "test", [acme])
    people = [
        contact(linkedin=JANE, company="Acme", emails=["jane@example.com"]),
        contact("Sam", "Roe", linkedin=SAM),
    ]
    load_contacts(database, "test", people)
    return database


@pytest.fixture
def acme(filled):
    return filled


def urls(database):
    return [event["activityUrl"] for _, event in stored_posts(database)]


def mentions(database, at=0):
    return [person["linkedinUrl"] for person in stored_posts(database)[at][1]["contactsMentioned"]]


def company_changes(database):
    query = "SELECT entity_id FROM changes WHERE entity = 2 ORDER BY sequence"
    return [row[0] for row in database.session().raw.execute(query).fetchall()]


def count_notes(database):
    return database.session().raw.execute("SELECT count(*) FROM signal_people").fetchone()[0]


# --- suppression of people in stored posts ---


@pytest.mark.parametrize(
    "by",
    [{"linkedin": JANE}, {"email": "jane@example.com"}, {"id": RecordIds(KEYRING).seal(Entity.CONTACT, 1)}],
)
def test_a_post_by_the_person_is_erased_completely(acme, tmp_path, suppress, by):
    import_posts(acme, tmp_path, [post(1), post(2, author=ACME)])
    changes = company_changes(acme)
    suppress(**by)
    assert urls(acme) == [post(2)["url"]]
    assert not database_contains(acme, "jane-doe")
    assert not database_contains(acme, "Jane Doe")
    assert company_changes(acme) == [*changes, 1]


def test_a_post_that_only_names_the_person_loses_the_name_and_the_summary(acme, tmp_path, suppress):
    import_posts(acme, tmp_path, [{**MENTIONING, "summary": "Sam Roe in the cloud"}])
    before, changes = stored_posts(acme)[0][1], company_changes(acme)
    suppress(linkedin=SAM)
    assert stored_posts(acme) == [(1, {**before, "contactsMentioned": [], "activitySummary": None})]
    assert not database_contains(acme, "sam-roe")
    assert not database_contains(acme, "Sam Roe")
    assert company_changes(acme) == [*changes, 1]
    assert count_notes(acme) == 0


def test_other_named_people_stay(acme, tmp_path, suppress):
    named = [{"linkedinUrl": SAM}, {"linkedinUrl": "linkedin.com/in/ann"}]
    import_posts(acme, tmp_path, [post(1, contactsMentioned=named)])
    suppress(linkedin=SAM)
    assert mentions(acme) == ["https://www.linkedin.com/in/ann"]
    suppress(linkedin="linkedin.com/in/ann")
    assert mentions(acme) == []
    suppress(linkedin=JANE)
    assert (stored_posts(acme), count_notes(acme)) == ([], 0)


def test_a_person_without_a_record_is_found_by_page(acme, tmp_path, suppress):
    ann = "https://www.linkedin.com/in/ann"
    rows = [post(1, author={"name": "Ann Orr", "linkedinUrl": ann, "company": "Acme"})]
    rows.append(post(2, author=ACME, text=f"Kubernetes with {ann}"))
    import_posts(acme, tmp_path, rows)
    assert suppress(linkedin=ann) == 0
    assert urls(acme) == [rows[1]["url"]]
    assert not database_contains(acme, "in/ann")


def test_a_person_whose_record_came_after_the_post_is_found_by_any_identifier(acme, tmp_path, suppress):
    zoe = "https://www.linkedin.com/in/zoe"
    import_posts(acme, tmp_path, [post(1, contactsMentioned=[{"linkedinUrl": zoe}])])
    load_contacts(acme, "test", [contact("Zoe", "Orr", linkedin=zoe, emails=["zoe@example.com"])])
    suppress(email="zoe@example.com")
    assert mentions(acme) == []


def test_a_person_whose_record_lost_the_page_is_found_by_number(acme, tmp_path, suppress):
    zoe = "https://www.linkedin.com/in/zoe"
    old = contact("Zoe", "Orr", linkedin=zoe, emails=["zoe@example.com"], day="2025-01-01")
    load_contacts(acme, "test", [("z", old)])
    import_posts(acme, tmp_path, [post(1, contactsMentioned=[{"linkedinUrl": zoe}])])
    new = contact("Zoe", "Orr", emails=["zoe@example.com"], day="2025-02-01")
    load_contacts(acme, "test", [("z", new)])
    suppress(email="zoe@example.com")
    assert mentions(acme) == []


def test_an_author_named_without_a_page_is_found_by_name_and_employer(acme, tmp_path, suppress):
    row = post(1, author={"fullName": "Dr. Zoe Orr", "company": {"domain": "acme.test"}})
    import_posts(acme, tmp_path, [row])
    load_contacts(acme, "test", [contact("Zoe", "Orr", company="ACME Inc", emails=["zoe@example.com"])])
    suppress(email="zoe@example.com")
    assert (stored_posts(acme), database_contains(acme, "Zoe")) == ([], False)
    assert import_posts(acme, tmp_path, [row]).summary.suppressed == 1


def test_an_author_named_in_the_address_alone_is_found_by_it(acme, tmp_path, suppress):
    row = post(1, author={"fullName": "Z.", "company": "Acme"}, text=f"Kubernetes {SAM}")
    row["url"] = "https://www.linkedin.com/posts/zoe-orr_cloud-activity-7000000000000000009-Xy"
    import_posts(acme, tmp_path, [row])
    suppress(linkedin="linkedin.com/in/zoe-orr")
    assert stored_posts(acme) == []
    assert not database_contains(acme, "zoe-orr")
    assert import_posts(acme, tmp_path, [row]).summary.suppressed == 1


def test_a_companys_post_whose_address_names_a_person_is_erased_with_the_person(acme, tmp_path, suppress):
    address = "https://www.linkedin.com/posts/zoe-orr_cloud-activity-7000000000000000009-Xy"
    import_posts(acme, tmp_path, [post(1, author=ACME, url=address)])
    suppress(linkedin="linkedin.com/in/zoe-orr")
    assert stored_posts(acme) == []


def test_a_post_whose_author_has_no_page_is_erased_instead_of_rewritten(acme, tmp_path, suppress):
    row = post(1, author={"fullName": "Zoe", "company": "Acme"}, contactsMentioned=[{"linkedinUrl": SAM}])
    import_posts(acme, tmp_path, [row])
    suppress(linkedin=SAM)
    assert stored_posts(acme) == []


def test_a_contacts_own_signals_are_erased_and_their_paid_units_stay(acme, suppress, clock):
    move = JobMove(1, "Acme", "acme.test", "VP", "Sales", "VP", 1, "Beta", "", "Head")
    signals = [Detected(Entity.CONTACT, number, "promotion", "k", "2025-01-01", move) for number in (1, 2)]
    Accounts(acme, load_plans(), clock).create("payer", "free", 0)
    with acme.write(RECORDS) as session:
        store_signals(session, DIGESTS, signals, 0.0)
        record_paid(AccountSession(session, 1), [signal_unit(signals[0].identity(DIGESTS))], "r", 0.0)
    suppress(linkedin=JANE)
    remaining = acme.session().raw.execute("SELECT entity, entity_id FROM signals").fetchall()
    assert [tuple(row) for row in remaining] == [(1, 2)]
    assert acme.session().raw.execute("SELECT count(*) FROM paid_units").fetchone()[0] == 1


def test_a_company_with_the_number_of_the_contact_keeps_its_signals(acme, tmp_path, suppress):
    import_posts(acme, tmp_path, [post(1, author=ACME)])
    suppress(linkedin=JANE)
    assert len(stored_posts(acme)) == 1


# --- imports after a suppression ---


def test_a_post_by_a_suppressed_person_is_counted_and_rejected_by_line_number_alone(acme, tmp_path, suppress):
    suppress(linkedin=JANE)
    imported = import_posts(acme, tmp_path, [post(1), post(2, author=ACME)])
    assert (imported.summary.suppressed, imported.summary.signals) == (1, 1)
    assert imported.rejects == [Reject(1, "suppressed", is_lost=False)]
    assert not database_contains(acme, "jane-doe")


def test_a_suppressed_person_is_left_out_of_the_mentions_together_with_the_summary(acme, tmp_path, suppress):
    suppress(linkedin=SAM)
    summary = import_posts(acme, tmp_path, [{**MENTIONING, "summary": "Sam Roe says"}]).summary
    assert (summary.suppressed, summary.signals, mentions(acme)) == (0, 1, [])
    assert stored_posts(acme)[0][1]["activitySummary"] is None
    assert not database_contains(acme, "Sam Roe")


def test_the_next_import_after_lifting_a_suppression_restores_the_posts(acme, tmp_path, suppress, unsuppress):
    rows = [post(1), {**MENTIONING, "summary": "Sam Roe says"}]
    import_posts(acme, tmp_path, rows)
    before = sorted(
        (event["activityUrl"], len(event["contactsMentioned"])) for _, event in stored_posts(acme)
    )
    for page in (JANE, SAM):
        suppress(linkedin=page)
        unsuppress(linkedin=page)
    summary = import_posts(acme, tmp_path, rows).summary
    assert (summary.created, summary.updated) == (1, 1)
    after = sorted((event["activityUrl"], len(event["contactsMentioned"])) for _, event in stored_posts(acme))
    assert after == before
    assert stored_posts(acme)[0][1]["activitySummary"] == "Sam Roe says"
    suppress(linkedin=SAM)
    assert not database_contains(acme, "sam-roe")


# --- other ways of suppression ---


def take_over(database, other, clock, path):
    """Import the suppressions of one machine on another."""
    suppression_file.export_suppressions(database, KEYRING.fingerprint(), path, replace=True)
    exported = suppression_file.read_suppressions(path, KEYRING.fingerprint())
    return suppression_of(other, clock).import_keys(exported.hashes, exported.last_contact)


def test_suppressions_imported_from_another_machine_apply_to_posts_too(
    acme, other, tmp_path, suppress, clock
):
    import_posts(other, tmp_path, [post(1), MENTIONING, post(3, author={"fullName": "Zoe", **ZOE})])
    suppress(linkedin=ZOE["linkedinUrl"])
    suppress(linkedin=JANE)
    suppress(linkedin=SAM)
    take_over(acme, other, clock, tmp_path / "file")
    assert (urls(other), mentions(other), count_notes(other)) == ([MENTIONING["url"]], [], 0)
    assert not database_contains(other, "sam-roe")


def test_a_contact_number_identifies_nobody_on_another_machine(acme, other, tmp_path, suppress, clock):
    load_contacts(acme, "test", [contact("Ann", "Orr", company="Acme", emails=["ann@example.com"])])
    load_contacts(other, "test", [contact("Zoe", "Orr", linkedin="linkedin.com/in/zoe", company="Acme")])
    import_posts(other, tmp_path, [post(1, author="linkedin.com/in/zoe")])
    suppress(email="ann@example.com")
    take_over(acme, other, clock, tmp_path / "file")
    assert len(stored_posts(other)) == 1


def test_the_commands_import_posts_and_erase_people_from_them(commands, database, tmp_path):
    (tmp_path / "companies.jsonl").write_bytes(msgspec.json.encode({"name": "Acme", "linkedinUrl": ACME}))
    rows = [post(1), {**MENTIONING, "text": "A zebra in Kubernetes"}]
    (tmp_path / "posts.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    commands("import", "companies", str(tmp_path / "companies.jsonl"))
    assert commands("import", "posts", str(tmp_path / "posts.jsonl"))["signals"] == 2
    for page in (JANE, SAM):
        commands("suppress", "--linkedin", page)
    assert (urls(database), mentions(database)) == ([MENTIONING["url"]], [])
    assert commands("import", "posts", str(tmp_path / "posts.jsonl"))["suppressed"] == 1
    assert not any(
        database_contains(database, trace)
        for trace in ("jane-doe", "sam-roe", "Jane Doe", "Sam Roe", "zebra")
    )


# --- histories ---

PAGES = [JANE, SAM, "https://www.linkedin.com/in/ann"]
NAMES = {JANE: "Jane Doe", SAM: "Sam Roe", PAGES[2]: "Ann Orr"}
NUMBERS = st.integers(0, 2)


def row(number, author, named, by_name):
    person = {"fullName": NAMES[PAGES[author]], "company": "Acme"}
    if not by_name:
        person["linkedinUrl"] = PAGES[author]
    people = [{"fullName": NAMES[PAGES[each]], "linkedinUrl": PAGES[each]} for each in named]
    return post(
        number, author=person, contactsMentioned=people, summary=" and ".join(NAMES[PAGES[n]] for n in named)
    )


ROWS = st.builds(row, st.integers(1, 4), NUMBERS, st.lists(NUMBERS, max_size=2, unique=True), st.booleans())
STEPS = st.one_of(
    st.tuples(st.just("import"), st.lists(ROWS, min_size=1, max_size=4)),
    st.tuples(st.just("suppress"), NUMBERS),
    st.tuples(st.just("lift"), NUMBERS),
    st.tuples(st.just("load"), NUMBERS),
)


@given(st.lists(STEPS, min_size=2, max_size=10))
@settings(max_examples=examples(40))
def test_no_signal_contains_a_suppressed_person_at_any_time(acme, tmp_path, clock, steps):
    suppression = suppression_of(acme, clock)
    suppressed = set()
    for what, which in steps:
        if what == "import":
            import_posts(acme, tmp_path, which)
        elif what == "load":
            first, last = NAMES[PAGES[which]].split()
            load_contacts(acme, "test", [contact(first, last, linkedin=PAGES[which], company="Acme")])
        elif what == "suppress":
            # as a record, so that the name at the employer is suppressed too
            first, last = NAMES[PAGES[which]].split()
            load_contacts(acme, "test", [contact(first, last, linkedin=PAGES[which], company="Acme")])
            suppression.suppress(suppression.person(linkedin=PAGES[which]))
            suppressed.add(which)
        else:
            suppression.unsuppress(suppression.person(linkedin=PAGES[which]))
            suppressed.discard(which)
        posts = str(stored_posts(acme))
        for each in suppressed:
            assert NAMES[PAGES[each]] not in posts
            assert PAGES[each] not in posts
        assert count_orphans(acme) == 0
    with acme.write(RECORDS) as session:
        for table in ("signal_people", "signals", "suppressions"):
            session.raw.execute(f"DELETE FROM {table}")
