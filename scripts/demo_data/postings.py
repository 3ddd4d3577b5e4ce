"""Job postings of federal agencies, as dated facts: what they opened, and when."""

from collections.abc import Iterator

from demo_data.companies import Companies
from demo_data.files import OpenData, Row


def postings(data: OpenData, companies: Companies) -> Iterator[Row]:
    """Those of agencies, or else departments, that are among the companies."""
    for given in data.table("signals/us_federal_job_postings.csv.gz"):
        held = _agency(given["agency"], companies) or _agency(given["department"], companies)
        if held:
            yield {
                "company": held.get("domain") or held["name"],
                "postingId": given["control_number"],
                "title": given["position_title"],
                "country": "US",
                "openDate": given["open_date"],
                "closeDate": given["close_date"],
            }


def _agency(name: str, companies: Companies) -> Row | None:
    """The body of this name in the United States; what several have, such as an Office of Public Affairs, is none."""
    held = None if name.startswith("Office of ") else companies.named(name)
    place = held.get("location") if held else None
    return (
        held
        if place and (place.get("countryIso2") == "US" or place.get("country") == "United States")
        else None
    )
