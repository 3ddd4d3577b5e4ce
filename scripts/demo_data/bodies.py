"""The public bodies of officials: legislatures, states, cities, and Congress."""

import re
from collections import Counter, defaultdict
from typing import Any

from demo_data.companies import Companies
from demo_data.files import OpenData, Row
from firmograph.directory.names import fold
from firmograph.directory.normalise.locations import normalise_location

Person = dict[str, Any]

_ASSEMBLIES = frozenset("AR CO CT DE GA IL IN IA KY MD MO NC OH PA RI SC TN VT VA".split())
_COMMONWEALTHS = frozenset("KY MA PA VA".split())
_LEGISLATURES = {
    "MA": "Massachusetts General Court",
    "NH": "New Hampshire General Court",
    "ND": "North Dakota Legislative Assembly",
    "OR": "Oregon Legislative Assembly",
    "PR": "Legislative Assembly of Puerto Rico",
    "DC": "Council of the District of Columbia",
    "CA": "California State Legislature",
    "NY": "New York State Legislature",
    "WA": "Washington State Legislature",
}
_LOWER = dict.fromkeys("CA NV NY WI".split(), "State Assembly") | {"NJ": "General Assembly"}
_LOWER |= dict.fromkeys("MD VA WV".split(), "House of Delegates")

MEMBERS = {
    "State Assembly": "Assembly Member",
    "General Assembly": "Assembly Member",
    "House of Delegates": "Delegate",
}
"""What a member of a lower chamber that is not called a house of representatives is called."""

_SHARE = 0.6
"""A chamber's domain is the one that at least this share of its members' addresses are at."""
_PARTISAN = re.compile(r"gop|dem|republican")


def state_name(code: str) -> str:
    if code == "DC":
        return "District of Columbia"
    if code == "PR":
        return "Puerto Rico"
    place = normalise_location("United States", "US", None, code, None, None, None, None)
    assert place is not None
    return place.state or code


def lower_chamber(state: str) -> str:
    return _LOWER.get(state, "House of Representatives")


def place_of(jurisdiction: str) -> str | None:
    """Return `anchorage` of `.../place:anchorage/government`; None for a state."""
    found = re.search(r"/place:([^/]+)", jurisdiction)
    return found[1].replace("_", " ") if found else None


def split_jurisdiction(jurisdiction: str) -> tuple[str, str | None]:
    """Return state code and place."""
    found = re.search(r"(?:state|district|territory):([a-z]{2})", jurisdiction)
    return (found[1].upper() if found else "US"), place_of(jurisdiction)


class Bodies:
    """The rows of bodies, each made once with the domain of its members' addresses or the .gov register."""

    def __init__(self, data: OpenData, companies: Companies, people: list[Person]) -> None:
        self._companies = companies
        self._chambers = _chamber_domains(people)
        self._states: dict[str, list[str]] = defaultdict(list)
        self._cities: dict[tuple[str, str], str] = {}
        self._spellings: dict[tuple[str, str], str] = {}
        for given in data.table("companies/us_gov_domains.csv.gz"):
            state, domain = given["State"], given["Domain name"].lower()
            self._spellings[fold(given["City"]), state] = given["City"]
            if given["Domain type"] == "City":
                self._cities.setdefault((_city_name(given), state), domain)
            elif given["Domain type"] == "State or territory":
                self._states[state].append(domain)
        self._addresses = Counter(
            (person["state"], ".".join(person["email"].lower().rpartition("@")[2].split(".")[-2:]))
            for person in people
            if person.get("email")
        )
        self._made: dict[str, Row] = {}

    def congress(self, chamber: str) -> Row:
        whole = self._body("us-congress", "United States Congress", "congress.gov", "Washington", "DC")
        if chamber == "sen":
            row = self._body("us-senate", "United States Senate", "senate.gov", "Washington", "DC")
        else:
            row = self._body(
                "us-house", "United States House of Representatives", "house.gov", "Washington", "DC"
            )
        row["parents"] = [_named(whole)]
        short = row["name"].removeprefix("United States ")
        row["alternativeNames"] = [f"US {short}", f"U.S. {short}"]
        return row

    def state(self, state: str) -> Row:
        name = f"{'Commonwealth' if state in _COMMONWEALTHS else 'State'} of {state_name(state)}"
        if state in ("DC", "PR"):
            name = {"DC": "Government of the District of Columbia", "PR": "Government of Puerto Rico"}[state]
        domains = self._state_domains(state)
        row = self._body(f"state-{state.lower()}", name, domains[0] if domains else None, None, state)
        row["alternativeDomains"] = domains[1:]
        return row

    def _state_domains(self, state: str) -> list[str]:
        label = fold(state_name(state)).replace(" ", "")
        candidates = [f"{label}.gov", f"{state.lower()}.gov"]
        registered = [domain for domain in candidates if domain in self._states[state]]
        # the one of its officials' addresses goes first
        return sorted(registered, key=lambda domain: -self._addresses[state, domain])

    def legislature(self, state: str, chamber: str) -> Row:
        """Return the legislature, or its chamber if the two have domains of their own."""
        upper, lower = self._chambers.get((state, "upper")), self._chambers.get((state, "lower"))
        whole = self._chambers.get((state, "legislature"))
        kind = "General Assembly" if state in _ASSEMBLIES else "Legislature"
        name = _LEGISLATURES.get(state, f"{state_name(state)} {kind}")
        split = upper != lower and chamber != "legislature"
        domain = None if split else whole or upper
        body = self._body(f"legislature-{state.lower()}", name, self._own(domain, state), None, state)
        if not split:
            return body
        title = "Senate" if chamber == "upper" else lower_chamber(state)
        domain = self._own(upper if chamber == "upper" else lower, state)
        row = self._body(f"{chamber}-{state.lower()}", f"{state_name(state)} {title}", domain, None, state)
        row["parents"] = [_named(body)]
        return row

    def _own(self, domain: str | None, state: str) -> str | None:
        """Return the legislature's own domain; one that shares the state's domain has none."""
        return None if domain in self._state_domains(state) else domain

    def city(self, place: str, state: str, address: str | None) -> Row:
        """Return a city at its registered .gov domain, else at the domain of its mayor's address."""
        kinds = ("city", "town", "village", "borough", "municipality", "township")
        names = [f"{kind} of {place}" for kind in kinds] + [f"{place} {kind}" for kind in kinds] + [place]
        registered = next(
            (self._cities[name, state] for name in names if (name, state) in self._cities), None
        )
        by_mail = address.rpartition("@")[2].lower() if address else None
        spelling = self._spellings.get((fold(place), state)) or place.title()
        domain = registered or by_mail
        if self._companies.at(domain) and f"city-{state.lower()}-{place}" not in self._made:
            domain = None
        row = self._body(f"city-{state.lower()}-{place}", f"City of {spelling}", domain, spelling, state)
        row["alternativeDomains"] = [by_mail] if by_mail and by_mail != domain else []
        return row

    def _body(self, key: str, name: str, domain: str | None, city: str | None, state: str) -> Row:
        if key not in self._made:
            legislative = key.startswith(("us-", "legislature-", "upper-", "lower-"))
            self._made[key] = self._companies.add({
                "sourceId": f"body:{key.replace(' ', '-')}",
                "name": name,
                "domain": domain,
                "companyType": "Government",
                "industry": "Government",
                "subIndustry": "Government Administration" if legislative else "Government Executive Offices",
                "location": {"country": "United States", "stateCode": state, "city": city},
            })  # fmt: skip
        return self._made[key]


def _named(row: Row) -> Row:
    return {"name": row["name"], "domain": row.get("domain")}


def _city_name(given: dict[str, str]) -> str:
    """Return the registered name without a following state: City of Long Beach, Washington."""
    name = fold(given["Organization name"])
    for state in (fold(state_name(given["State"])), given["State"].lower()):
        name = name.removesuffix(f" {state}")
    return name


def _chamber_domains(people: list[Person]) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for person in people:
        if person["body"] == "legislature" and person.get("email") and person["roles"]:
            found[person["state"], person["roles"][0]["type"]][
                person["email"].rpartition("@")[2].lower()
            ] += 1
    domains = {}
    for chamber, counts in found.items():
        domain, count = counts.most_common(1)[0]
        if count >= _SHARE * counts.total() and not _PARTISAN.search(domain):
            domains[chamber] = domain
    return domains
