"""Companies of the Y Combinator directory: facts only, none of their own descriptions."""

import ast
import re

from demo_data.companies import Companies, host
from demo_data.files import OpenData, Row
from firmograph.directory.industries import normalise_industry

_SNAPSHOT = "2024-05-11"
_TYPES = {"Active": "Private Company", "Public": "Public Company"}
_STATE_CODE = re.compile(r"[A-Z]{2}")


def add_startups(data: OpenData, companies: Companies) -> None:
    for given in data.table("companies/yc_companies_2024-05-11.csv.gz"):
        # an inactive company's domain may be another's today
        if given["status"] != "Inactive":
            row = _row(given)
            if row["domain"] and not companies.may_join(
                row["domain"], [row["name"]], given["country"] or None
            ):
                row["domain"] = None
            companies.add(row)


def _row(given: dict[str, str]) -> Row:
    tags = [tag.replace("-", " ") for tag in ast.literal_eval(given["tags"] or "[]")]
    places = [normalise_industry(tag) for tag in tags]
    # a tag of a sub-industry is more precise than one of a main industry
    best = sorted((place for place in places if place[0]), key=lambda place: place[1] is None)
    industry, sub = best[0] if best else (None, None)
    size = int(float(given["team_size"] or 0))
    founded = int(float(given["year_founded"] or 0))
    return {
        "sourceId": f"yc:{given['company_id']}",
        "name": given["company_name"],
        "domain": host(given["website"]),
        "linkedinUrl": given["linkedin_url"],
        "companyType": _TYPES.get(given["status"]),
        "employeeCount": size or None,
        "industry": industry,
        "subIndustry": sub,
        "industryTags": tags,
        "yearFounded": founded or None,
        "location": _location(given),
        "updateDate": _SNAPSHOT,
    }


def _location(given: dict[str, str]) -> Row:
    city, _, rest = given["location"].partition(", ")
    is_state = given["country"] == "US" and _STATE_CODE.fullmatch(rest)
    return {
        "city": None if _STATE_CODE.fullmatch(city) else city,
        "stateCode": rest if is_state else None,
        "countryIso2": given["country"],
    }
