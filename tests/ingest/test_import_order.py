"""Merging as a pure function of each source's last row: order and repetition change nothing.

See docs/reference/records.md#merging.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from emptied_database import empty_tables
from firmograph.directory.contact_json import encode_contact
from record_factory import contact, load_contacts
from stored_records import stored_companies, stored_contacts

SOURCES = ("a", "b")
DAYS = ("2025-01-01", "2025-02-01", "2025-03-01")


@st.composite
def versions(draw):
    """Generate versions of one person's rows, at most one of a source a day; all share an e-mail."""
    keys = draw(
        st.lists(
            st.tuples(st.sampled_from(SOURCES), st.sampled_from(DAYS)), min_size=1, max_size=5, unique=True
        )
    )
    rows = []
    for source, day in keys:
        record = contact(
            "Jane",
            "Doe",
            emails=[
                "jane@example.com",
                *draw(st.lists(st.sampled_from(["x@example.com", "y@example.com"]), max_size=1)),
            ],
            company=draw(st.sampled_from([None, "Acme", "Rival", "Third"])),
            title=draw(st.sampled_from([None, "Engineer", "Manager"])),
            day=day,
            skills=draw(st.lists(st.sampled_from(["go", "c"]), max_size=1)),
        )
        rows.append((source, record))
    return rows


def imported(database, rows):
    """Import each row on its own and return the records with their employers' names."""
    empty_tables(database)
    for source, record in rows:
        load_contacts(database, source, [("1", record)])
    companies = stored_companies(database)
    found = [
        (encode_contact(record), companies[employer].name if employer else None)
        for record, employer in stored_contacts(database).values()
    ]
    keys = database.session().raw.execute("SELECT count(*) FROM contact_keys").fetchone()
    return found, keys


@settings(max_examples=examples(60))
@given(rows=versions(), random=st.randoms(), repeats=st.integers(0, 3))
def test_order_and_repetition_of_rows_change_nothing(database, rows, random, repeats):
    shuffled = rows + [random.choice(rows) for _ in range(repeats)]
    random.shuffle(shuffled)
    assert imported(database, rows) == imported(database, shuffled)
