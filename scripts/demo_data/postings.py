"""Job postings of federal agencies, as dated facts: their number and opening days."""

from collections.abc import Iterator

from demo_data.companies import Companies
from demo_data.files import OpenData, Row


def postings(data: OpenData, companies: Companies) -> Iterator[Row]:
    """Return those of agencies, or else departments, among the companies."""
    for given in data.table("signals/us_federal_job_postings.csv.gz"):
        company = _agency(given["agency"], companies) or _agency(given["department"], companies)
        if company:
            yield {
                "company": company.get("domain") or company["name"],
                "postingId": given["control_number"],
                "title": given["position_title"],
                "country": "US",
                "openDate": given["open_date"],
                "closeDate": given["close_date"],
            }


def _agency(name: str, companies: Companies) -> Row | None:
    """Return the US body of this name; an ambiguous name, such as Office of Public Affairs, gives none."""
    company = None if name.startswith("Office of ") else companies.named(name)
    place = company.get("location") if company else None
    return (
        company
        if place and (place.get("countryIso2") == "US" or place.get("country") == "United States")
        else None
    )
