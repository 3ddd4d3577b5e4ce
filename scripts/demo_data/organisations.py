"""Research organisations that belong to others, and these others (ROR)."""

import re
from collections import defaultdict
from urllib.parse import urlsplit

from demo_data.companies import Companies, host, reference
from demo_data.files import OpenData, Row
from firmograph.ingest.records.values import year

_TYPES = {
    "education": "Educational",
    "government": "Government",
    "nonprofit": "Non Profit",
    "company": "Private Company",
}
_INDUSTRIES = {
    "education": ("Education", "Higher Education"),
    "government": ("Government", "Government Administration"),
    "healthcare": ("Healthcare", "Hospitals & Clinics"),
    "nonprofit": ("Community & Nonprofit Organizations", None),
}
_ISO_STATE = re.compile(r"[A-Z0-9]{1,3}")
_MAX_ALIASES = 6

_Parents = dict[str, set[str]]


def add_organisations(data: OpenData, companies: Companies) -> None:
    organisations = {given["ror"]: given for given in data.table("companies/ror_organizations.csv.gz")}
    parents = _parents(data, organisations)
    related = {
        ror: organisations[ror]
        for ror in sorted(parents.keys() | {ror for owners in parents.values() for ror in owners})
    }
    hosts = _hosts(related, parents)
    rows = {}
    for ror, given in related.items():
        row = _row(given, hosts.get(ror))
        names = [row["name"], *row["alternativeNames"]]
        if row["domain"] and not companies.may_join(row["domain"], names, given["country"]):
            row["domain"] = None
        rows[ror] = companies.add(row)
    for ror in related:
        owners = [
            reference(rows[owner]) for owner in sorted(parents.get(ror, ())) if rows[owner] is not rows[ror]
        ]
        have = rows[ror].setdefault("parents", [])
        have += [owner for owner in owners if owner not in have]


def _parents(data: OpenData, organisations: dict[str, dict[str, str]]) -> _Parents:
    """Return owners by what they own; both ends are known."""
    parents: _Parents = defaultdict(set)
    for edge in data.table("companies/ror_relationships.csv.gz"):
        ends = (edge["ror"], edge["related_ror"])
        if (
            edge["relation"] in ("parent", "child")
            and all(end in organisations for end in ends)
            and ends[0] != ends[1]
        ):
            child, parent = ends if edge["relation"] == "parent" else ends[::-1]
            parents[child].add(parent)
    return dict(parents)


def _hosts(related: dict[str, dict[str, str]], parents: _Parents) -> dict[str, str]:
    """Return the host of each; a shared host goes to one that owns others and is owned by none of them."""
    claims: dict[str, list[str]] = defaultdict(list)
    for ror, given in related.items():
        # a subsidiary with the group's own name has the group's website, not its domain
        if any(_bare(given) == _bare(related[owner]) for owner in parents.get(ror, ())):
            continue
        if claimed := host(given["domains"].split("|")[0]) or host(given["website"]) or host(given["domain"]):
            claims[claimed].append(ror)
    owned = {}
    for claimed, rors in claims.items():
        group = set(rors)
        size = defaultdict(int)
        for ror in rors:
            for owner in parents.get(ror, ()):
                size[owner] += owner in group
        owned[min(rors, key=lambda ror: _claim(ror, claimed, related[ror], parents, group, size))] = claimed
    return owned


def _bare(given: dict[str, str]) -> str:
    """Return the name without the country that ROR appends to companies: Evonik (Singapore)."""
    return given["name"].partition(" (")[0]


def _claim(
    ror: str, claimed: str, given: dict[str, str], parents: _Parents, group: set[str], size: dict[str, int]
) -> tuple[object, ...]:
    """Sort the best claim to a host first."""
    return (
        claimed not in given["domains"].split("|"),
        not group.isdisjoint(parents.get(ror, ())),
        urlsplit(given["website"]).path.strip("/") != "",
        -size[ror],
        ror,
    )


def _row(given: dict[str, str], domain: str | None) -> Row:
    kinds = given["types"].split("|")
    industry, sub = next((_INDUSTRIES[kind] for kind in kinds if kind in _INDUSTRIES), (None, None))
    subdivision = given["subdivision"]
    return {
        "sourceId": f"ror:{given['ror']}",
        "name": given["name"],
        "domain": domain,
        "alternativeNames": [name for name in given["aliases"].split("|") if name][:_MAX_ALIASES],
        "companyType": next((_TYPES[kind] for kind in kinds if kind in _TYPES), None),
        "industry": industry,
        "subIndustry": sub,
        "yearFounded": year(given["established"]),
        "location": {
            "countryIso2": given["country"],
            "stateCode": subdivision if _ISO_STATE.fullmatch(subdivision) else None,
            "city": given["city"],
        },
    }
