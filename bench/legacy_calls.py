"""Requests of the older generation, each with the current one for the same content, and checks of their answers."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec

from bench import mixes
from bench.client import ask, request
from bench.mixes import Mix, Person, address_of
from bench.rounds import Check
from bench.servers import Server

PERSON = "/v2/person"
LEGACY_SEARCH, SEARCH = "/prospecting/contact/search", "/v3/contacts/prospecting"
PEOPLE, PAGE = 100, 50
MOST_TITLES = 200
_COMPARED = 5
"""First requests of a pair whose answers must agree."""

Content = Callable[[Any], object]
"""What a decoded answer tells of people or contacts, comparable with the other generation's."""


class Call(NamedTuple):
    """Requests of one call, and how its answers are read."""

    name: str
    requests: list[bytes]
    check: Check
    content: Content


class Pair(NamedTuple):
    """A call of the older generation and the current one."""

    legacy: Call
    current: Call
    aim: float

    def pay(self, server: Server) -> None:
        """Pay for everything that the calls reveal."""
        ask(server.port, self.current.requests)

    def compare_answers(self, server: Server) -> None:
        """Send the first requests of both. Raises RuntimeError unless the answers agree."""
        both = (self.legacy, self.current)
        legacy, current = (
            [one.content(msgspec.json.decode(body)) for body in ask(server.port, one.requests[:_COMPARED])]
            for one in both
        )
        if legacy != current:
            raise RuntimeError(f"{self.legacy.name}: the current answers differ")


class Numbers(NamedTuple):
    """Number of different requests."""

    singles: int
    batches: int


def pairs(persons: Sequence[Person], titles: Sequence[str], numbers: Numbers, key: str) -> list[Pair]:
    """Return all pairs: for many people, for one, and searches for titles."""
    hundred = mixes.enrich_mix(persons, PEOPLE, numbers.batches)
    one = mixes.enrich_mix(persons, 1, numbers.singles)
    return [
        Pair(_people(persons, hundred, key), _enrich(hundred, key), 0.45),
        Pair(_person(persons, one, key), _enrich(one, key), 0.6),
        Pair(_legacy_search(titles, key), _search(titles, key), 0.5),
    ]


# --- people ---


def _enrich(mix: Mix, key: str) -> Call:
    name = f"POST {mix.path} of {mix.items}"
    return Call(name, mix.requests(key), partial(mixes.check, mix), _current_addresses)


def _people(persons: Sequence[Person], mix: Mix, key: str) -> Call:
    """Return calls for the same people as those of `mix`, by e-mail."""
    bodies = [
        msgspec.json.encode(
            {
                "contacts": [
                    {"contactId": str(place), "email": address_of(person.row)}
                    for place, person in enumerate(_asked(persons, mix, at))
                ]
            }
        )
        for at in range(len(mix.bodies))
    ]
    requests = [request(PERSON, body, key) for body in bodies]
    return Call(f"POST {PERSON} of {mix.items} by e-mail", requests, _check_people, _addresses)


def _person(persons: Sequence[Person], mix: Mix, key: str) -> Call:
    requests = []
    for at in range(len(mix.bodies)):
        (person,) = _asked(persons, mix, at)
        path = f"{PERSON}?{urlencode({'email': address_of(person.row)})}"
        requests.append(request(path, b"", key, method="GET"))
    return Call(f"GET {PERSON} by e-mail", requests, _check_people, _addresses)


def _asked(persons: Sequence[Person], mix: Mix, at: int) -> list[Person]:
    """Return the people of a request of `mixes.enrich_mix`."""
    return [persons[(at * mix.items + place) % len(persons)] for place in range(mix.items)]


def _check_people(answers: Sequence[tuple[int, bytes]]) -> None:
    """Raise if somebody was not found or was charged."""
    for place, body in answers:
        for one in _items(msgspec.json.decode(body)):
            if one["error"] or one["isCreditCharged"] or not one["data"]["emails"]:
                raise RuntimeError(f"{PERSON}: request {place}: {one}")


def _items(answer: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Return the items of an answer for one person or many."""
    many: dict[str, dict[str, Any]] = answer["contacts"] if "contacts" in answer else {"0": answer["contact"]}
    return many.values()


def _addresses(answer: dict[str, Any]) -> list[list[str]]:
    return [one["data"]["emails"] for one in _items(answer)]


def _current_addresses(answer: dict[str, Any]) -> list[list[str]]:
    return [[email["email"] for email in one["emails"]] for one in answer["results"]]


# --- search ---


def common_titles(server: Server, persons: Sequence[Person], key: str) -> list[str]:
    """Return titles of these people that at least a page of contacts have. Raises RuntimeError if there are none."""
    found = dict.fromkeys(title for person in persons if (title := _title(person.row)))
    some = list(islice(found, MOST_TITLES))
    answers = ask(server.port, [request(SEARCH, _search_body(title), key) for title in some])
    sizes = [len(msgspec.json.decode(body)["results"]) for body in answers]
    common = [title for title, size in zip(some, sizes, strict=True) if size == PAGE]
    if not common:
        raise RuntimeError(f"No title has {PAGE} contacts; use more contacts")
    return common


def _title(row: dict[str, Any]) -> str:
    title: str | dict[str, str] = row.get("jobTitle", "")
    return title if isinstance(title, str) else title.get("title", "")


def _filters(title: str) -> dict[str, Any]:
    return {"contacts": {"include": {"jobTitles": [title]}}}


def _search_body(title: str) -> bytes:
    return msgspec.json.encode({"filters": _filters(title), "pagination": {"page": 0, "size": PAGE}})


def _search(titles: Sequence[str], key: str) -> Call:
    requests = [request(SEARCH, _search_body(title), key) for title in titles]
    return Call(f"POST {SEARCH}, {PAGE} results", requests, partial(_check_page, "results"), _found)


def _legacy_search(titles: Sequence[str], key: str) -> Call:
    pages = {"page": 0, "size": PAGE}
    bodies = [msgspec.json.encode({"filters": _filters(title), "pages": pages}) for title in titles]
    requests = [request(LEGACY_SEARCH, body, key) for body in bodies]
    return Call(
        f"POST {LEGACY_SEARCH}, {PAGE} results", requests, partial(_check_page, "data"), _legacy_found
    )


def _check_page(name: str, answers: Sequence[tuple[int, bytes]]) -> None:
    """Raise if a page is not full, or was charged."""
    for place, body in answers:
        answer = msgspec.json.decode(body)
        if len(answer[name]) != PAGE or answer["billing"]["creditsCharged"]:
            raise RuntimeError(f"Search {place}: {len(answer[name])} results, {answer['billing']}")


def _found(answer: dict[str, Any]) -> tuple[int, list[str]]:
    return answer["pagination"]["total"], [one["id"] for one in answer["results"]]


def _legacy_found(answer: dict[str, Any]) -> tuple[int, list[str]]:
    return answer["totalResults"], [one["contactId"] for one in answer["data"]]
