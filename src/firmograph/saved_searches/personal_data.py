"""Personal data of saved searches: filters that name people."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl

from firmograph.database.connection import Session
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.privacy.declarations import Erasure, Impersonal, People, PersonalData, TableData
from firmograph.saved_searches import store
from firmograph.saved_searches.tables import saved_searches


def find_searches(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield searches with an e-mail address, a LinkedIn page or the whole name of one of the people."""
    names = {one.record.full_name.casefold() for one in people.records.values() if one.record.full_name}
    for row in store.select_every_search(session):
        if any(_names_one(value, people, names) for _, value in parse_qsl(row["query"])):
            yield row


def _names_one(value: str, people: People, names: set[str]) -> bool:
    if value.casefold() in names:
        return True
    slug = linkedin_slug(value, "in")
    return people.have_email(value) or (
        slug is not None and people.digests.contact_linkedin(slug) in people.keys
    )


def erase_searches(erasure: Erasure) -> None:
    """Delete the searches that name the people; without that filter they would find others."""
    found = [row["id"] for row in find_searches(erasure.session, erasure.people)]
    store.delete_numbers(erasure.session, found)


_TABLES = (
    TableData(
        saved_searches,
        erased=("query",),
        impersonal={"name": Impersonal.OWN_WORDS},
        find=find_searches,
        place="saved searches",
    ),
)

PERSONAL_DATA: Final = PersonalData("saved_searches", tables=_TABLES, erasers=(erase_searches,))
