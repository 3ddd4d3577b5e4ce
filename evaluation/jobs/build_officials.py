"""The builder of `officials.csv` from the dated roles of state officials, labelled by `officials_rules.md`.

    python -m evaluation.jobs.build_officials DATA_DIR

DATA_DIR contains `us_state_officials_retired.jsonl.gz` and `us_state_officials_current.jsonl.gz` (openstates/people,
CC0 1.0). The draw depends on the seed and the ids only: the same files give the same rows. Rare kinds are taken
completely, common ones by sample, so the share of a kind here does not represent its real share.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.build_gold import half, read_lines, share

OUTPUT = Path(__file__).parent / "officials.csv"
FILES = ("us_state_officials_retired.jsonl.gz", "us_state_officials_current.jsonl.gz")
OVERLAP_DAYS = 183
SAMPLES = {
    "lower to upper": 170,
    "lower: other district": 80,
    "upper: other district": 50,
    "lower: same district": 30,
    "upper: same district": 30,
}
"""How many transitions of a kind are drawn; kinds that are not named are taken whole."""

COLUMNS = (
    "id,split,kind,first_name,last_name,old_title,old_company,old_domain,old_chamber,old_start,old_end,"
    "new_title,new_company,new_domain,new_chamber,new_start,label"
).split(",")
RANKS = {
    "lower": 1,
    "upper": 2,
    "legislature": 2,
    "attorney general": 3,
    "secretary of state": 3,
    "treasurer": 3,
    "auditor": 3,
    "chief election officer": 3,
    "lt_governor": 4,
    "governor": 5,
}
OFFICES = {
    "attorney general": "Attorney General",
    "secretary of state": "Secretary of State",
    "treasurer": "State Treasurer",
    "auditor": "State Auditor",
    "chief election officer": "Chief Election Officer",
    "lt_governor": "Lieutenant Governor",
    "governor": "Governor",
    "mayor": "Mayor",
}
ASSEMBLIES = {"CA", "NV", "NJ", "NY", "WI"}
HOUSES_OF_DELEGATES = {"MD", "VA", "WV"}
NUMBERED = re.compile(r"\d+[A-Z]?|[A-Z]|[IVX]+")
DOMAINS = {"CITY OF LOS ANGELES": "lacity.gov", "CITY OF SPOKANE": "spokanecity.org", "US": "congress.gov"}
STATES = {
    line.split(" ", 2)[0]: (line.split(" ", 2)[1], line.split(" ", 2)[2])
    for line in """\
AL alabama.gov Alabama
AK alaska.gov Alaska
AZ az.gov Arizona
AR arkansas.gov Arkansas
CA ca.gov California
CO colorado.gov Colorado
CT ct.gov Connecticut
DE delaware.gov Delaware
FL myflorida.com Florida
GA georgia.gov Georgia
HI hawaii.gov Hawaii
ID idaho.gov Idaho
IL illinois.gov Illinois
IN in.gov Indiana
IA iowa.gov Iowa
KS ks.gov Kansas
KY kentucky.gov Kentucky
LA louisiana.gov Louisiana
ME maine.gov Maine
MD maryland.gov Maryland
MA mass.gov Massachusetts
MI michigan.gov Michigan
MN mn.gov Minnesota
MS ms.gov Mississippi
MO mo.gov Missouri
MT mt.gov Montana
NE nebraska.gov Nebraska
NV nv.gov Nevada
NH nh.gov New Hampshire
NJ nj.gov New Jersey
NM nm.gov New Mexico
NY ny.gov New York
NC nc.gov North Carolina
ND nd.gov North Dakota
OH ohio.gov Ohio
OK oklahoma.gov Oklahoma
OR oregon.gov Oregon
PA pa.gov Pennsylvania
PR pr.gov Puerto Rico
RI ri.gov Rhode Island
SC sc.gov South Carolina
SD sd.gov South Dakota
TN tn.gov Tennessee
TX texas.gov Texas
UT utah.gov Utah
VT vermont.gov Vermont
VA virginia.gov Virginia
WA wa.gov Washington
WV wv.gov West Virginia
WI wisconsin.gov Wisconsin
WY wyo.gov Wyoming
""".splitlines()
}


class Post(NamedTuple):
    """One role as an import would write it; `place` distinguishes employers, `office` is the source's type."""

    office: str
    place: str
    district: str
    title: str
    company: str
    domain: str
    chamber: str
    start: str
    end: str


def post(role: dict[str, Any]) -> Post:
    jurisdiction, office = str(role["jurisdiction"]), str(role["type"])
    district = str(role.get("district") or "")
    place, company, domain = employer(jurisdiction)
    base, chamber = named(office, place)
    if district and chamber:
        base += f", district {district}" if NUMBERED.fullmatch(district) else f", {district}"
    start, end = str(role["start_date"]), str(role.get("end_date") or "")
    return Post(office, place, district, base, company, domain, chamber, start, end)


def employer(jurisdiction: str) -> tuple[str, str, str]:
    """Return key, name and domain of the employer behind an Open Civic Data jurisdiction."""
    parts = dict(part.split(":", 1) for part in jurisdiction.split("/") if ":" in part)
    if "place" in parts:
        city = "City of " + parts["place"].replace("_", " ").title()
        return city.upper(), city, DOMAINS.get(city.upper(), "")
    if "district" in parts:
        return "DC", "District of Columbia", "dc.gov"
    if "territory" in parts or "state" in parts:
        state = (parts.get("territory") or parts["state"]).upper()
        domain, name = STATES[state]
        return state, name if state == "PR" else f"State of {name}", domain
    return "US", "United States Congress", DOMAINS["US"]


def named(office: str, place: str) -> tuple[str, str]:
    """Return the title without district, and the chamber; an executive office has none."""
    if place == "DC":
        dc = {
            "governor": ("Mayor of the District of Columbia", ""),
            "legislature": ("Councilmember", "Council"),
        }
        return dc.get(office) or (OFFICES[office], "")
    if place == "US":
        return {"lower": ("U.S. Representative", "House"), "upper": ("U.S. Senator", "Senate")}[office]
    if office in ("upper", "legislature"):
        return "State Senator", "Senate" if office == "upper" else "Legislature"
    if office != "lower":
        return OFFICES[office], ""
    if place in ASSEMBLIES:
        return "Assembly Member", "Assembly"
    if place in HOUSES_OF_DELEGATES:
        return "Delegate", "House of Delegates"
    return "State Representative", "House of Representatives"


def kind(old: Post, new: Post) -> str:
    if old.office != new.office or old.place != new.place:
        return f"{old.office} to {new.office}"
    if not old.chamber:
        return f"{old.office}: again"
    return f"{old.office}: {'same' if old.district == new.district else 'other'} district"


def label(old: Post, new: Post) -> str:
    """Label by the table of `officials_rules.md`."""
    if old.place != new.place:
        return "companyChange"
    return "promotion" if RANKS.get(new.office, 0) > RANKS.get(old.office, 0) else "nothing"


def transitions(folder: Path) -> Iterator[tuple[dict[str, Any], Post, Post]]:
    """Yield consecutive dated roles of one person in a plausible order.

    Two roles with one start are one mandate held twice. Long overlaps are errors of the source (nobody sits in both
    chambers for years), so which role came first is not known.
    """
    for name in FILES:
        for person in read_lines(folder / name):
            posts = sorted(
                (post(role) for role in person.get("roles", []) if role.get("start_date")), key=order
            )
            for old, new in pairwise(posts):
                if old.start < new.start and days(old.end, new.start) <= OVERLAP_DAYS:
                    yield person, old, new


def days(end: str, start: str) -> int:
    """Return how many days a role that ended at `end`, if it did, overlaps one that began at `start`."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days if end else 0


def order(one: Post) -> tuple[str, str]:
    return one.start, one.end or "9999"


def rows(folder: Path) -> list[tuple[str, ...]]:
    kinds: dict[str, list[tuple[float, tuple[str, ...]]]] = defaultdict(list)
    for person, old, new in transitions(folder):
        number = share("officials", f"{person['id']} {old.start} {new.start}")
        kinds[kind(old, new)].append((number, row(person, old, new)))
    drawn = [one for name, found in sorted(kinds.items()) for one in sorted(found)[: SAMPLES.get(name)]]
    return sorted({one for _, one in drawn}, key=lambda one: (one[2], one[0], one[-2]))


def row(person: dict[str, Any], old: Post, new: Post) -> tuple[str, ...]:
    first, _, last = person["name"].partition(" ")
    first, last = person.get("given_name") or first, person.get("family_name") or last
    before = (old.title, old.company, old.domain, old.chamber, old.start, old.end)
    after = (new.title, new.company, new.domain, new.chamber, new.start)
    return (person["id"], half(person["id"]), kind(old, new), first, last, *before, *after, label(old, new))


def main(folder: str) -> None:
    with OUTPUT.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(rows(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1])
