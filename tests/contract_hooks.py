"""Hooks of Schemathesis: valid formats, stored records in requests, and consistent filters.

Requests that fit the document are adjusted to the rules of prospecting that it cannot express, so that all of them
should be accepted; invalid ones are left as they are. null stays null, except where a value is required.
"""

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import chain, repeat
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

import schemathesis
from hypothesis import strategies as st
from schemathesis.generation.jsonschema import strategy as texts

import contract_fixtures
import contract_legacy
import contract_tables
from firmograph.api.descriptions import BLANK, NOT_BLANK

STORED: dict[str, list[Any]] = {}
"""Identifiers of stored records by kind; set before requests are generated, so that these reveal and pay for some."""

ZIP = {"country": "Germany", "countryIso2": "DE", "zipcode": "10115"}
"""The one postcode of the stored records."""

_ALONE = ("searchText", "signals", "technologies")
_BOUNDS = (("min", "max"), ("minScore", "maxScore"), ("intentMinScore", "intentMaxScore"))
_ID = re.compile(r"(v[1-9][0-9]{0,5}\.[A-Za-z0-9_-]+|[0-9]+)\Z")

_MAX_QUERY = 16_000
"""Bytes of a query that fits a URL."""

_HOSTS = frozenset(("domain", "companyDomain", "fqdn"))
"""Properties that hold a host."""

LABELS = [f"n{number}" for number in range(8)]


def _filled(text: str, longest: int) -> list[str]:
    """Return the text, and the text extended to the maximum length of its format and to one less."""
    return [text, text.ljust(longest - 1, "a"), text.ljust(longest, "a")]


class Choice(st.SearchStrategy[str]):
    """A strategy over fixed values that notices at once a filter rejecting all of them.

    Schemathesis asks each format for texts of many lengths, most of which are impossible. Hypothesis draws hundreds
    of values before it gives up on one, which took most of the time of these tests.
    """

    def __init__(self, values: Iterable[str]) -> None:
        super().__init__()
        self._values = list(values)
        self._strategy = st.sampled_from(self._values)

    def do_draw(self, data: Any) -> str:
        return data.draw(self._strategy)

    def map(self, pack: Callable[[str], Any]) -> st.SearchStrategy[Any]:
        return Choice(map(pack, self._values))

    def filter(self, condition: Callable[[str], Any]) -> st.SearchStrategy[str]:
        admitted = [value for value in self._values if condition(value)]
        return Choice(admitted) if admitted else st.nothing()


_draw_texts = texts._admitted_strings


def _texts(view: Any, context: Any) -> st.SearchStrategy[Any]:
    """Draw a text that must not be blank from its other pattern, of which none is blank if that of blank ones is.

    Bodies that need one of several properties have such texts. Without this, most of their draws were given up, each
    after hundreds of texts: Schemathesis also tries to join a match of each pattern, and to find a text that fits both.
    """
    others = [pattern for pattern in view.patterns if pattern != NOT_BLANK]
    if view.formats or len(view.patterns) != 2 or len(others) != 1:
        return _draw_texts(view, context)
    if others[0] == BLANK:
        return st.nothing()
    return texts._pattern_driven(others[0], [NOT_BLANK], view, context)


texts._admitted_strings = _texts


def formats() -> dict[str, st.SearchStrategy[str]]:
    """Return values of this API's formats, some of maximum length; call it once `STORED` is set."""
    domains = [f"{label}.{suffix}" for label in LABELS for suffix in ("com", "test", "co.uk", "de")]
    pages = [f"https://www.{domain}/about?x=1" for domain in domains[:8]]
    people = [f"https://www.linkedin.com/in/{label}" for label in LABELS]
    companies = [f"https://www.linkedin.com/company/{label}" for label in LABELS]
    hooks = [f"https://{label}.test/{path}" for label in LABELS for path in ("", "a", "0/hooks", "//a/b/")]
    values = {
        "domain": [*domains, *pages, *_filled(pages[0], 1024), *STORED["domains"]],
        "email": [*(f"{label}@{domain}" for label in LABELS for domain in domains[:4]), *STORED["emails"]],
        "linkedin-url": [*people, *_filled(f"{people[0]}?x=", 1024), *STORED["linkedinUrls"]],
        "linkedin-company-url": [*companies, *_filled(f"{companies[0]}?x=", 1024)],
        "full-name": [f"{first} {last}" for first in LABELS for last in LABELS] + _filled("Ann A", 256),
        # reserved for documentation: tests of subscriptions send to it
        "webhook-url": [*hooks, *_filled(hooks[1], 2048)],
        "date": contract_fixtures.generated_days(),
    }
    return {name: Choice(each) for name, each in values.items()}


def register_formats() -> None:
    for name, strategy in formats().items():
        schemathesis.openapi.format(name, strategy)


_SUBSCRIPTION = re.compile(r"[0-9a-fA-F]{24}\Z")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Write whole numbers as clients do in valid requests, and make filters and seeds consistent and stored."""
    mode = case.meta and case.meta.generation.mode
    if mode and mode.is_positive:
        adjust(case)


def adjust(case):
    """Adjust a request that fits the document so that it is accepted."""
    if isinstance(case.body, dict):
        case.body = _plain(case.body)
        if case.path.endswith("/conversations/search"):
            _search_once(case.body)
        if case.path.endswith("/prospecting"):
            case.body = _consistent(case.path, case.body)
        if case.path.startswith("/api/subscriptions"):
            case.body = _subscribed(case.body)
        if "lookalike" in case.path:
            case.body = _with_stored_seeds(case.path, case.body)
        if case.path.endswith("/website-visits"):
            _visits_of_a_window(case.body)
        if case.path.startswith("/prospecting/"):
            _each_object(case.body)
        if case.path.startswith("/v3/") and case.path.endswith(("/signals", "/enrich")):
            kind = "companyIds" if "companies" in case.path else "contactIds"
            case.body["ids"] = [*STORED[kind], *case.body["ids"]][:100]
        if case.path.endswith("/buying-group"):
            _ask_for_everyone(case.body)
    contract_legacy.adjust(case, STORED)
    if isinstance(case.body, dict):
        case.body = _with_hosts(case.body, "company" if "companies" in case.path else "in")
    if "/tables" in case.path:
        contract_tables.adjust(case, STORED)
    else:
        contract_tables.name_table(case)


def _with_hosts(value: Any, page: str, name: str = "") -> Any:
    """Write hosts and pages where the phase `coverage`, which knows no formats, has written other texts.

    `page` is the kind of a LinkedIn page, `in` or `company`.
    """
    if isinstance(value, dict):
        return {each: _with_hosts(one, page, each) for each, one in value.items()}
    if isinstance(value, list):
        return [_with_hosts(one, page, name) for one in value]
    if not isinstance(value, str) or "." in value:
        return value
    if name in _HOSTS:
        return "acme.com"
    return f"https://www.linkedin.com/{page}/n0" if name == "linkedinUrl" else value


def _search_once(body: dict[str, Any]) -> None:
    """Give each filter of conversations at top level alone, with days in order."""
    body["filters"] = None
    if _has(body, "dateFrom", "dateTo"):
        body["dateFrom"], body["dateTo"] = sorted((body["dateFrom"], body["dateTo"]))


class Rotation:
    """One account after another: each may call a hundred times a minute, mostly for its own subscription."""

    callers: Iterator[tuple[str, str]]

    def get(self, case, context):
        return next(self.callers)

    def set(self, case, data, context):
        key, subscription = data
        case.headers = {**(case.headers or {}), "api_key": key}
        given = (case.path_parameters or {}).get("id", "")
        if _SUBSCRIPTION.match(given) and (given[0] in "0123456789ab" or case.method == "PATCH"):
            case.path_parameters["id"] = subscription


@contextmanager
def rotation(callers: Sequence[tuple[str, str]]) -> Iterator[None]:
    """Let accounts call by turns, each given as key and subscription; without any, calls keep their header."""
    if callers:
        Rotation.callers = chain.from_iterable(repeat(one, 90) for one in callers)
        schemathesis.auth(refresh_interval=None)(Rotation)
    try:
        yield
    finally:
        schemathesis.auths.unregister()


@schemathesis.hook
def filter_query(context, query):
    """Leave out empty parameters, which count as absent whatever their schema says, and URLs beyond their limit."""
    return "" not in (query or {}).values() and len(urlencode(query or {}, errors="replace")) < _MAX_QUERY


@schemathesis.hook
def map_body(context, body):
    """Replace every other well-formed id by the id of a stored record; leave malformed ones."""
    if not isinstance(body, dict):
        return body
    path = context.operation.path
    kind = "companyIds" if "companies" in path else "contactIds"
    for name in ("ids", "entityIds"):
        if isinstance(body.get(name), list):
            body = {**body, name: [_known(kind, place, text) for place, text in enumerate(body[name])]}
    if path.startswith("/api/signals/"):
        body = _legacy_signals(body, kind)
    if path.endswith("/buying-group"):
        body = _stored_companies(body)
    return body


def _stored_companies(body: dict[str, Any]) -> dict[str, Any]:
    """Replace every other well-formed id of a list of companies by that of a stored one."""
    items = body.get("companies")
    if not isinstance(items, list):
        return body
    return {
        **body,
        "companies": [
            {**item, "id": _known("companyIds", place, item["id"])}
            if isinstance(item, dict) and "id" in item
            else item
            for place, item in enumerate(items)
        ],
    }


def _ask_for_everyone(body: dict[str, Any]) -> None:
    """Ask for the people of a stored company first."""
    body["companies"] = [{"id": STORED["companyIds"][0]}, *body["companies"]][:25]
    body.pop("personas", None)
    body.pop("pagination", None)


def _visits_of_a_window(body: dict[str, Any]) -> None:
    """Ask for visits within three months, in one form of pages, with bounds in order, of all domains."""
    start = date.fromisoformat(body["startDate"])
    days = date.fromisoformat(body["endDate"]).toordinal() % 85
    body["endDate"] = (start + timedelta(days)).isoformat()
    body["domains"] = None
    for value in (body.get("filters") or {}).values():
        if isinstance(value, dict) and _has(value, "min", "max"):
            value["min"], value["max"] = sorted((value["min"], value["max"]))
    countries = (body.get("filters") or {}).get("visitorCountries") or {}
    for name in ("include", "exclude"):
        if countries.get(name):
            countries[name] = ["DE", "fr"][: len(countries[name])]
    pages = body.get("pagination") or {}
    if _has(pages, "page"):
        pages["page"] %= 600
    if any(_has(pages, name) for name in ("page", "size")):
        pages.update(limit=None, offset=None)


def _subscribed(body: dict[str, object]) -> dict[str, object]:
    """Make every other item a stored company; changed subscriptions are those of companies."""
    ids = STORED["companyIds"]
    for item in body.get("subscriptions", ())[::2]:
        id = ids[len(item["entityId"]) % len(ids)]
        item.update(entityType="company", signalTypes=["allSignals"], entityId=id)
    return body | ({"signalTypes": ["allSignals"]} if body.get("signalTypes") else {})


def _with_stored_seeds(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return a request with a stored record among its seeds, and with as many identifiers as are allowed.

    No schema says how many different ones all lists have together. Sessions are left out: no unknown one is accepted.
    """
    seeds, exclude = _first(body["seeds"], 15), _first(body.get("exclude") or {}, 100)
    known = "domains" if "companies" in path else "emails"
    others = [f"n{number}.com" if known == "domains" else f"{number}@n.com" for number in range(4)]
    seeds[known] = [*seeds.get(known, ()), *STORED[f"seed {known}"], *others]
    return {**body, "seeds": seeds, "exclude": exclude, "dedupeSessionId": None}


def _first(lists: dict[str, Any], most: int) -> dict[str, Any]:
    return {name: values[:most] for name, values in lists.items() if values is not None}


def _known(kind: str, place: int, text: object) -> object:
    if STORED.get(kind) and place % 2 == 0 and isinstance(text, str) and _ID.match(text):
        return STORED[kind][crc32(text.encode()) % len(STORED[kind])]
    return text


def _legacy_signals(body: dict[str, object], kind: str) -> dict[str, object]:
    """Replace legacy numbers by those of stored records, and repeated keys of the caller; leave malformed ones."""
    if isinstance(ids := body.get(kind), list) and STORED.get(f"legacy {kind}"):
        stored = STORED[f"legacy {kind}"]
        known = [stored[id % len(stored)] if type(id) is int and 0 <= id < 2**53 else id for id in ids]
        return {**body, kind: known}
    items = body.get("companies" if kind == "companyIds" else "contacts")
    keys: set[str] = set()
    for place, item in enumerate(items if isinstance(items, list) else ()):
        key = item.get("id") if isinstance(item, dict) else None
        if isinstance(key, int) or (isinstance(key, str) and 0 < len(key) <= 256):
            item["id"] = f"{place}" if str(key) in keys else key
            keys.add(str(key))
    return body


def _consistent(path: str, body: dict[str, Any]) -> dict[str, Any]:
    body = _plain(copy.deepcopy(body))
    _each_object(body)
    own = "contacts" if "contacts" in path else "companies"
    filters = _object(body, "filters")
    include = _object(_object(filters, own), "include")
    for name in ("searchText", "signals", "filterByIntentCategory"):
        if _has(body, name) and (_has(include, name) or _has(include, "signals")):
            del body[name]
    if _has(body, "filterByIntentCategory") and _has(body, "signals"):
        body["signals"].pop("filterByIntentCategory", None)
    include["names"] = [*(include.get("names") or ()), "Ann"]
    if own == "companies" and _has(filters, "contacts"):
        sides = [filters["companies"].get(side) or {} for side in ("include", "exclude")]
        for side in (body, *sides):
            for name in [name for name in side if name in _ALONE or name.startswith("intent")]:
                del side[name]
    return body


def _has(value: dict[str, Any], *names: str) -> bool:
    """Return whether all of these are present and not null."""
    return all(value.get(name) is not None for name in names)


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object under a name; create it if missing."""
    if not _has(value, name):
        value[name] = {}
    return value[name]


def _plain(value: Any) -> Any:
    """Write whole numbers without a point, as any client does: `30`, where the generator also has `30.0`.

    A blank property counts as absent like a null one, which it becomes, as the other hooks know that.
    """
    if isinstance(value, dict):
        return {name: None if _is_blank(inner) else _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip(" \t\r\n")


def _each_object(value: Any) -> None:
    if isinstance(value, dict):
        _repair(value)
        for inner in value.values():
            _each_object(inner)
    elif isinstance(value, list):
        for inner in value:
            _each_object(inner)


def _repair(value: dict[str, Any]) -> None:
    if isinstance(value.get("signals"), dict) and not value["signals"].get("types"):
        value["signals"]["types"] = ["allSignals"]
    if _has(value, "zipcode"):
        value |= {name: known for name, known in ZIP.items() if name in value}
    elif _has(value, "countryIso2"):
        value["countryIso2"] = "DE"
    if _has(value, "countries"):
        value["countries"] = ["DE" for _ in value["countries"]]
    for name in ("naicsCodes", "naics"):
        if isinstance(value.get(name), list):
            value[name] = ["-".join(sorted(str(code).split("-"))) for code in value[name]]
    if _has(value, "sicCodes"):
        value.pop("sicsCodes", None)
    if _has(value, "intentTopicsOperator"):
        value.pop("intentTopicsCondition", None)
    for low, high in _BOUNDS:
        if _has(value, low, high):
            value[low], value[high] = sorted((value[low], value[high]))
