"""Public maintainers of open-source projects at their employers: names and projects, no contact data."""

from collections import Counter
from collections.abc import Iterator

from demo_data.companies import Companies
from demo_data.employers import NO_EMPLOYER, named_employer
from demo_data.files import OpenData, Row
from demo_data.job_changes import job_changes
from firmograph.directory.company_names import company_key

_MATURITY = ("Graduated", "Incubating", "Sandbox")


def maintainers(data: OpenData, companies: Companies) -> Iterator[Row]:
    """Return one contact for each person, who occurs in the source once for each project."""
    people: dict[str, list[dict[str, str]]] = {}
    for given in data.table("people/oss_project_maintainers.csv.gz"):
        person = (given["github"] or given["name"]).casefold()
        if given["name"] and given["maturity"] in _MATURITY:
            people.setdefault(person, []).append(given)
    # a dated change of employer is newer than the snapshot
    changed = {
        row["sourceId"].removeprefix("maintainer:"): row["company"] for row in job_changes(data, companies)
    }
    for person, rows in people.items():
        rows.sort(key=lambda row: (_MATURITY.index(row["maturity"]), row["project"]))
        yield {
            "sourceId": f"maintainer:{person}",
            "fullName": rows[0]["name"],
            "jobTitle": f"Project Maintainer, {rows[0]['project']}",
            "company": changed.get(person) or _employer(rows, companies),
            "skills": list(dict.fromkeys(row["project"] for row in rows)),
        }


def _employer(rows: list[dict[str, str]], companies: Companies) -> Row | None:
    """Return the employer named most often, with its domain if just one company has the name."""
    named = Counter(row["company"] for row in rows if company_key(row["company"]) not in (*NO_EMPLOYER, ""))
    if not named:
        return None
    return named_employer(max(named, key=lambda name: (named[name], name)), companies)
