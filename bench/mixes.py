"""The requests to the servers: pools made before the clock starts, with the expected results.

A search mix has a quarter of its items each by id, e-mail, LinkedIn URL, and name with company; 5 % of each
quarter match nobody: changed addresses, an id of another kind, another last name at a real company. Namesakes that
a name and company cannot distinguish are left out, so that all others are found.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from bench.client import request

MISSES = 0.05
KINDS = ("id", "email", "linkedin", "name")
SEARCH, ENRICH = "/v3/contacts/search", "/v3/contacts/enrich"
SEARCH_AND_ENRICH = "/v3/contacts/search-and-enrich"
COMPANY_SIGNALS = "/v3/companies/signals"
_BATCH = 100

Post = Callable[[str, Sequence[bytes]], list[bytes]]
"""A function that sends bodies to a path of the real server and returns the answers."""


class Person(NamedTuple):
    """A sampled row, with the server's ids of its record."""

    row: dict[str, Any]
    token: str
    company: str
    """The id of the employer: well-formed, but no contact's."""


class Mix(NamedTuple):
    """A pool of requests, all of one kind."""

    name: str
    title: str
    path: str
    items: int
    bodies: list[bytes]
    found: list[int]
    """Number of found items in each request."""

    def requests(self, api_key: str, path: str | None = None) -> list[bytes]:
        """Return the bytes of each request, to its own path or to another."""
        return [request(path or self.path, body, api_key) for body in self.bodies]


def sample(path: Path, stored: int, count: int) -> list[dict[str, Any]]:
    """Return rows from all over the contacts' file with an e-mail, a LinkedIn URL and an employer's domain."""
    decode = msgspec.json.Decoder().decode
    chosen = set(Random("bench sample").sample(range(stored), min(stored, count)))
    rows = []
    with path.open("rb") as file:
        for place, line in enumerate(file):
            if place in chosen:
                row = decode(line)
                if "emails" in row and "linkedinUrl" in row and isinstance(row["company"], dict):
                    rows.append(row)
    Random("bench order").shuffle(rows)
    return rows


def people(rows: Sequence[dict[str, Any]], post: Post) -> list[Person]:
    """Return the rows whose record is found by name and company alone. Raises RuntimeError if there are none."""
    persons = []
    for part in _parts(rows):
        by_url = [{"linkedinUrl": row["linkedinUrl"]} for row in part]
        by_name = [_by_name(row) for row in part]
        first, second = (_results(body) for body in post(SEARCH, [_search(by_url), _search(by_name)]))
        for row, one, other in zip(part, first, second, strict=True):
            if one.get("id") is None:
                raise RuntimeError(f"The server does not find {row['linkedinUrl']}")
            if one["id"] == other.get("id"):
                persons.append(Person(row, one["id"], one["company"]["id"]))
    if not persons:
        raise RuntimeError(f"Of {len(rows)} sampled people none can be asked for by name; use more contacts")
    return persons


def search_mix(
    persons: Sequence[Person], items: int, count: int, kinds: Sequence[str] = KINDS, by: str = ""
) -> Mix:
    """Return `count` searches for `items` contacts each, by these kinds of identifiers in turn; `by` names them."""
    rng, bodies, found = Random(f"search {items}{by}"), [], []
    for at in range(count):
        search_items, hits = [], 0
        for place in range(items):
            number = at * items + place
            is_miss = rng.random() < MISSES
            search_items.append(_item(persons[number % len(persons)], kinds[number % len(kinds)], is_miss))
            hits += not is_miss
        rng.shuffle(search_items)
        bodies.append(_search(search_items))
        found.append(hits)
    return Mix(f"search-{items}{by}", f"contact search, {_items(items)}{by}", SEARCH, items, bodies, found)


def enrich_mix(persons: Sequence[Person], items: int, count: int) -> Mix:
    """Return `count` enrichments of `items` contacts each, e-mails and phones."""
    tokens = [person.token for person in persons]
    bodies = []
    for at in range(count):
        ids = [tokens[(at * items + place) % len(tokens)] for place in range(items)]
        bodies.append(msgspec.json.encode({"ids": ids}))
    title = f"contact enrich, {items} paid {'id' if items == 1 else 'ids'}"
    return Mix(f"enrich-{items}", title, ENRICH, items, bodies, [items] * count)


def charging_mix(persons: Sequence[Person]) -> Mix:
    """Return a search-and-enrich of each person, by e-mail: charged at each account's first call."""
    bodies = [_search([_item(person, "email", False)]) for person in persons]
    title = "contact search-and-enrich, 1 item, charged"
    return Mix("charging-1", title, SEARCH_AND_ENRICH, 1, bodies, [1] * len(bodies))


def check(mix: Mix, answers: Sequence[tuple[int, bytes]]) -> None:
    """Raise if an answer has a wrong number of results or matches, or was not charged as it should be."""
    for place, body in answers:
        answer = msgspec.json.decode(body)
        returned = answer["billing"]["resultsReturned"]
        if len(answer["results"]) != mix.items or returned != mix.found[place % len(mix.found)]:
            raise RuntimeError(
                f"{mix.name}: request {place} found {returned}, not {mix.found[place % len(mix.found)]}"
            )
        if bool(answer["billing"]["creditsCharged"]) != (mix.path == SEARCH_AND_ENRICH):
            raise RuntimeError(f"{mix.name}: request {place}: {answer['billing']}")


def _item(person: Person, kind: str, is_miss: bool) -> dict[str, Any]:
    row = person.row
    if kind == "id":
        return {"id": person.company if is_miss else person.token}
    if kind == "email":
        address = address_of(row)
        return {"email": f"nobody.{address}" if is_miss else address}
    if kind == "linkedin":
        return {"linkedinUrl": row["linkedinUrl"].rstrip("/") + ("-nobody" if is_miss else "")}
    return _by_name(row) | ({"lastName": "Nobodyatall"} if is_miss else {})


def address_of(row: dict[str, Any]) -> str:
    """Return the first e-mail address of a generated contact."""
    email = row["emails"][0]
    address: str = email if isinstance(email, str) else email["email"]
    return address


def _items(number: int) -> str:
    return "1 item" if number == 1 else f"{number} items"


def _by_name(row: dict[str, Any]) -> dict[str, Any]:
    """Return name and company; the company by name for half of the rows that have one, else by domain."""
    company = row["company"]
    named = {"firstName": row["firstName"], "lastName": row["lastName"]}
    if "name" in company and row["sourceId"][-1] in "02468":
        return named | {"companyName": company["name"]}
    return named | {"companyDomain": company["domain"]}


def _search(items: Sequence[dict[str, Any]]) -> bytes:
    return msgspec.json.encode({"contacts": items})


def _results(body: bytes) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = msgspec.json.decode(body)["results"]
    return results


def _parts(rows: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
