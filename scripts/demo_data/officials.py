"""State and city officials (Open States) and members of Congress, at their bodies."""

import re
from collections.abc import Iterator
from typing import Any

from demo_data.bodies import MEMBERS, Bodies, Person, lower_chamber, split_jurisdiction
from demo_data.companies import Companies, reference
from demo_data.files import OpenData, Row
from firmograph.directory.normalise.emails import normalise_email

SNAPSHOT = "2026-08-18"
"""The day of the newest of the sources of people: a role that ended before it is past."""

_TITLES = {
    "governor": "Governor",
    "lt_governor": "Lieutenant Governor",
    "attorney general": "Attorney General",
    "secretary of state": "Secretary of State",
    "chief election officer": "Chief Election Officer",
    "auditor": "State Auditor",
    "treasurer": "State Treasurer",
    "mayor": "Mayor",
    "upper": "State Senator",
}
_CHAMBERS = frozenset(("upper", "lower", "legislature"))
_TOWN = re.compile(r"([A-Z][A-Za-z .'’-]+),?\s+([A-Z]{2})\.?,?\s+(\d{5})(?:-\d{4})?\s*$")
_X_NAME = re.compile(r"@?([A-Za-z0-9_]{1,15})")

_Role = dict[str, str]


def officials(data: OpenData, companies: Companies) -> Iterator[Row]:
    """Return everyone in office on the day of the snapshot; Congress comes from its own source."""
    people = [
        {**person, "roles": sorted(person["roles"], key=_latest_first)}
        for person in data.objects("people/us_state_officials_current.jsonl.gz")
        if person.get("state") != "US" and person.get("roles")
    ]
    bodies = Bodies(data, companies, people)
    for person in people:
        if _is_current(person["roles"][0]):
            yield _official(person, bodies)
    yield from _congress(data, bodies)


def _is_current(role: _Role) -> bool:
    return role.get("end_date", "9999") >= SNAPSHOT


def _latest_first(role: _Role) -> tuple[bool, str, str]:
    """Sort current roles first, then by their end and start backwards."""
    return (
        not _is_current(role),
        _backwards(role.get("end_date", "9999")),
        _backwards(role.get("start_date", "")),
    )


def _backwards(day: str) -> str:
    return "".join(chr(0x7F - ord(char)) for char in day.ljust(10, " "))


def _title(role: _Role) -> str:
    kind = role["type"]
    state, _ = split_jurisdiction(role["jurisdiction"])
    if kind == "legislature":
        return "Council Member" if state == "DC" else "State Senator"
    if state == "PR" and kind in _CHAMBERS:
        return "Senator" if kind == "upper" else "Representative"
    if kind == "lower":
        return MEMBERS.get(lower_chamber(state), "State Representative")
    return _TITLES[kind]


def _body(role: _Role, bodies: Bodies, address: str | None) -> Row:
    state, place = split_jurisdiction(role["jurisdiction"])
    if place:
        return bodies.city(place, state, address)
    if state == "US":
        return bodies.congress("sen" if role["type"] == "upper" else "rep")
    return bodies.legislature(state, role["type"]) if role["type"] in _CHAMBERS else bodies.state(state)


def _official(person: Person, bodies: Bodies) -> Row:
    current = person["roles"][0]
    body = _body(current, bodies, person.get("email"))
    offices = person.get("offices", ())
    address = normalise_email(person.get("email") or "")
    return {
        "sourceId": f"openstates:{person['id'].rpartition('/')[2]}",
        **_names(person),
        "jobTitle": {"title": _title(current), "startDate": current.get("start_date")},
        "company": reference(body),
        "location": _office(offices, current),
        "emails": [{"email": address, "type": "work"}] if address else None,
        "phones": _phones(office.get("voice") for office in offices),
        "socialLinks": {"xUrl": _x(person.get("ids", {}).get("twitter"))},
        "previousEmployment": _past(person, body, bodies),
    }


def _names(person: Person) -> Row:
    first, last = person.get("given_name"), person.get("family_name")
    if not first or not last:
        return {"fullName": person["name"]}
    return {"firstName": first, "lastName": last, "fullName": person["name"]}


def _past(person: Person, body: Row, bodies: Bodies) -> list[Row]:
    """Return earlier roles at other bodies, each body and title once."""
    jobs: list[Row] = []
    for role in person["roles"][1:]:
        there = _body(role, bodies, None)
        job = {
            "company": reference(there),
            "jobTitle": "Member of Congress" if _is_us(role) else _title(role),
        }
        if not _is_current(role) and there is not body and job not in jobs:
            jobs.append(job)
    return jobs


def _is_us(role: _Role) -> bool:
    return split_jurisdiction(role["jurisdiction"])[0] == "US"


def _office(offices: Any, role: _Role) -> Row:
    state, _ = split_jurisdiction(role["jurisdiction"])
    for office in offices:
        found = _TOWN.search(office.get("address") or "")
        if found and found[2] == state:
            city = re.split(r"[,;]\s*|\s{2,}", found[1])[-1].strip()
            return {"country": "United States", "stateCode": state, "city": _plain(city), "zipCode": found[3]}
    return {"country": "United States", "stateCode": state}


_STREET = re.compile(
    r"\b(Street|(?<!^)St|Ave|Avenue|Building|Bldg|Room|Office|Capitol|Square|Boulevard|Blvd|Drive|Road|Floor|Suite|Box|House|"
    r"Plaza|Mall|State|Way|Court)\b"
)


def _plain(city: str) -> str | None:
    """Return the city, unless the address does not show where the street ends."""
    return None if _STREET.search(city) else city


def _phones(numbers: Any) -> list[Row]:
    found = dict.fromkeys(_number(number) for number in numbers if number)
    return [{"number": number, "type": "work"} for number in found if number]


def _number(text: str) -> str | None:
    digits = re.sub(r"\D", "", text).removeprefix("1")
    return f"+1{digits}" if len(digits) == 10 else None


def _x(name: str | None) -> str | None:
    found = _X_NAME.fullmatch(name) if name else None
    return f"https://x.com/{found[1]}" if found else None


def _congress(data: OpenData, bodies: Bodies) -> Iterator[Row]:
    for person in data.objects("people/us_congress_current.jsonl.gz"):
        term = person["terms"][-1]
        name = person["name"]
        body = bodies.congress(term["type"])
        former = {earlier["type"] for earlier in person["terms"]} - {term["type"]}
        yield {
            "sourceId": f"bioguide:{person['bioguide']}",
            "firstName": name["first"],
            "lastName": name["last"],
            "fullName": name.get("official_full") or f"{name['first']} {name['last']}",
            "jobTitle": {"title": _seat(term), "startDate": _since(person["terms"])},
            "company": reference(body),
            "location": {"country": "United States", "stateCode": "DC", "city": "Washington"},
            "phones": _phones([person.get("phone")]),
            "socialLinks": {"xUrl": _x(person.get("social", {}).get("twitter"))},
            "previousEmployment": [
                {"company": reference(bodies.congress(kind)), "jobTitle": _seat({"type": kind})}
                for kind in sorted(former)
            ],
        }


def _seat(term: _Role) -> str:
    return "United States Senator" if term["type"] == "sen" else "United States Representative"


def _since(terms: list[_Role]) -> str:
    """Return the start of the unbroken run of terms in the present seat."""
    start = terms[-1]["start"]
    for earlier, later in zip(reversed(terms[:-1]), reversed(terms), strict=False):
        if earlier["type"] != later["type"] or earlier["end"] < later["start"][:4]:
            break
        start = earlier["start"]
    return start
