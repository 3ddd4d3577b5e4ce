"""Suppression in tests of imports: with the tests' keys, and histories of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from firmograph.database.connection import RECORDS, Database
from firmograph.kit.clock import Clock
from firmograph.privacy.suppression import Suppression
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_contacts

Person = tuple[str, str, str]
"""First name, last name and employer."""


def suppression_of(database: Database, clock: Clock) -> Suppression:
    return make_suppression(database, KEYRING, clock)


def histories(rows: st.SearchStrategy[Any], people: Sequence[Person]) -> st.SearchStrategy[list[Any]]:
    """Generate imports of some rows, suppressions, and the ends of suppressions."""
    subaddresses = st.sampled_from(["", "+news", "+crm+2"])
    steps = st.one_of(
        st.tuples(st.just("import"), st.lists(rows, min_size=1, max_size=4), st.just("")),
        st.tuples(st.sampled_from(["suppress", "lift"]), st.integers(0, len(people) - 1), subaddresses),
    )
    return st.lists(steps, min_size=2, max_size=8)


def each_step(
    database: Database,
    clock: Clock,
    steps: Sequence[Any],
    people: Sequence[Person],
    load: Callable[[list[Any]], object],
) -> Iterator[set[tuple[str, str]]]:
    """Run a history; after each step, yield the suppressed people as employer and first name. Erase all at the end.

    People are suppressed, and suppressions lifted, by any address of a person's mailbox.
    """
    suppression = suppression_of(database, clock)
    suppressed = set[int]()
    for what, which, subaddress in steps:
        if what == "import":
            load(which)
        else:
            first, last, company = people[which]
            address = f"{first.lower()}@example.com"
            person = suppression.person(email=f"{first.lower()}{subaddress}@example.com")
            if what == "suppress":
                load_contacts(database, "crm", [contact(first, last, company=company, emails=[address])])
                suppression.suppress(person)
                suppressed.add(which)
            else:
                suppression.unsuppress(person)
                suppressed.discard(which)
        yield {(people[each][2], people[each][0]) for each in suppressed}
    with database.write(RECORDS) as session:
        for table in ("signal_people", "signals", "suppressions"):
            session.raw.execute(f"DELETE FROM {table}")
