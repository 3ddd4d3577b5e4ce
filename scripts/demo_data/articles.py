"""Events stated by the source itself: SEC filings by item code, acquisitions, funding rounds.

They have `eventTypes` and companies, so nothing is read from a text: the titles are composed here.
"""

import re
from collections.abc import Iterator

from demo_data.companies import Companies
from demo_data.files import OpenData, Row

_ITEMS = {
    "1.05": ("Security Issue", "a material cybersecurity incident"),
    "2.01": ("M&A", "an acquisition or disposal was completed"),
    "2.05": ("Headcount Decrease", "costs of an exit or a disposal"),
}
"""8-K items that tell an event by their code alone (`evaluation/news/items_8k.csv` says why no others do)."""
_FIRST_ROUND = "2011-01-01"


def articles(data: OpenData, companies: Companies) -> Iterator[Row]:
    yield from _filings(data, companies)
    yield from _acquisitions(data, companies)
    yield from _rounds(data, companies)


def _filings(data: OpenData, companies: Companies) -> Iterator[Row]:
    for given in data.table("signals/sec_8k_events_30_companies.csv.gz"):
        events = [_ITEMS[item] for item in given["items"].split(",") if item in _ITEMS]
        company = companies.named(re.sub(r"\s*/.*", "", given["company"])) if events else None
        if company:
            number = given["accessionNumber"]
            folder = f"https://www.sec.gov/Archives/edgar/data/{given['cik']}/{number.replace('-', '')}"
            yield {
                "url": f"{folder}/{given['primaryDocument'] or number + '-index.htm'}",
                "date": given["filingDate"],
                "title": f"{company['name']}, Form 8-K: {'; '.join(what for _, what in events)}",
                "companies": [company.get("domain") or company["name"]],
                "eventTypes": [event for event, _ in events],
            }


def _acquisitions(data: OpenData, companies: Companies) -> Iterator[Row]:
    for given in data.table("signals/crunchbase2013_acquisitions.csv.gz"):
        buyer = companies.named(given["acquirer_name"]) if given["acquired_at"] else None
        if buyer and given["company_name"]:
            target = companies.named(given["company_name"])
            named = [company.get("domain") or company["name"] for company in (buyer, target) if company]
            yield {
                "url": f"http://www.crunchbase.com{given['company_permalink']}",
                "date": given["acquired_at"],
                "title": f"{given['acquirer_name']} acquired {given['company_name']}",
                "companies": list(dict.fromkeys(named)),
                "eventTypes": ["M&A"],
            }


def _rounds(data: OpenData, companies: Companies) -> Iterator[Row]:
    for given in data.table("signals/crunchbase2013_rounds.csv.gz"):
        company = companies.named(given["company_name"]) if given["funded_at"] >= _FIRST_ROUND else None
        if company and company.get("domain"):
            amount = f" of ${int(given['raised_amount_usd']):,}" if given["raised_amount_usd"] else ""
            yield {
                "url": f"http://www.crunchbase.com{given['company_permalink']}?funding={given['funded_at']}",
                "date": given["funded_at"],
                "title": f"{given['company_name']} closed a funding round{amount}",
                "companies": [company["domain"]],
                "eventTypes": ["Funding Round"],
            }
