"""Split rows stay separate: old and new versions, with and without ids, in any order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from emptied_database import empty_tables
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyLinks
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING, contact, load_companies, load_contacts
from stored_records import change_count

pytestmark = pytest.mark.any_database

TOKENS = RecordIds(KEYRING)
PAGE = "https://www.linkedin.com/in/front-desk"
FIRST_NAMES = ("Jane", "J.", "Joan")
FIRMS = ("Acme", "Acme Tools", "Acme Works")
DAYS = ("2024-01-01", "2025-01-01", "2026-01-01")


def sources_by_record(database, of):
    """Return the sources of each record; each source has one row."""
    found = {}
    rows = database.session().raw.execute(
        f"SELECT r.{of}_id, s.name FROM {of}_rows r JOIN sources s ON s.id = r.source"
    )
    for number, source in rows:
        found.setdefault(number, set()).add(source)
    return sorted(map(sorted, found.values()))


@st.composite
def people(draw, n):
    """Generate a row and its id; all versions have one page, some a shared address too."""
    own, shared = draw(st.sampled_from([0, 1, 2])), ["desk@acme.example"] * draw(st.booleans())
    first = draw(st.sampled_from(FIRST_NAMES))

    def version(place):
        emails = [[], [f"{n}@acme.example"], [f"{n}.{place}@acme.example"]][own]
        return contact(
            first, emails=emails + shared, linkedin=PAGE, title=f"Title {n}.{place}", day=DAYS[place]
        )

    return draw(st.sampled_from(["", f"id-{n}"])), version


@st.composite
def firms(draw, n):
    domain = draw(st.sampled_from([None, f"{n}.example", "all.example"]))

    def version(place):
        links = CompanyLinks(linkedin="https://www.linkedin.com/company/all")
        return Company(
            name=FIRMS[n], domain=domain, social_links=links, update_date=DAYS[place], year_founded=place
        )

    return draw(st.sampled_from(["", f"id-{n}"])), version


def check_separation(database, of, load, rows, moved, imports):
    """Import, split, and import again; rows are given by source, imports as (source, version)."""
    empty_tables(database)
    for source, (id, version) in enumerate(rows):
        load(database, str(source), [(id, version(1))])
    (number,) = {
        number
        for (number,) in database.session().raw.execute(
            f"SELECT id FROM {'contacts' if of == 'contact' else 'companies'}"
        )
    }
    entity = Entity.CONTACT if of == "contact" else Entity.COMPANY
    RecordSplitter(database, Digests(KEYRING), RecordIds(KEYRING), SetClock()).split(
        TOKENS.seal(entity, number), [f"{source}/{rows[source][0]}" for source in moved]
    )
    expected = sorted(
        [sorted(map(str, moved)), sorted(str(source) for source in range(len(rows)) if source not in moved)]
    )
    assert sources_by_record(database, of) == expected
    for source, place in imports:
        id, version = rows[source]
        load(database, str(source), [(id, version(place))])
        assert sources_by_record(database, of) == expected
    before = change_count(database)
    for source, place in imports:
        id, version = rows[source]
        assert load(database, str(source), [(id, version(place))]).unchanged == 1
    assert change_count(database) == before


MOVED = st.sets(st.integers(0, 2), min_size=1, max_size=2)
IMPORTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=8)


@settings(max_examples=examples(60))
@given(rows=st.tuples(people(0), people(1), people(2)), moved=MOVED, imports=IMPORTS)
def test_split_contacts_stay_separate_with_any_versions(database, rows, moved, imports):
    check_separation(database, "contact", load_contacts, rows, moved, imports)


@settings(max_examples=examples(60))
@given(rows=st.tuples(firms(0), firms(1), firms(2)), moved=MOVED, imports=IMPORTS)
def test_split_companies_stay_separate_with_any_versions(database, rows, moved, imports):
    check_separation(database, "company", load_companies, rows, moved, imports)
