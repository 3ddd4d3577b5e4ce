"""Listed companies: FinanceDatabase, with additions from the S&P 500 list and SEC filings."""

import re
from collections import Counter

from demo_data.companies import Companies, host, reference, unite
from demo_data.files import OpenData, Row
from firmograph.directory.company_names import company_key
from firmograph.directory.industries import normalise_industry
from firmograph.directory.normalise.locations import country_code, normalise_location

_STATE_CODE = re.compile(r"[A-Z]{2,3}")
_WITH_STATE_CODES = frozenset(("United States", "Canada", "Australia", "Brazil"))
_FOUNDED = re.compile(r"\((\d{4})\)|(\d{4})")


def add_listed(data: OpenData, companies: Companies) -> None:
    for given in data.table("companies/financedatabase_companies.csv.gz"):
        names = _names(given)
        if not names:
            continue
        labels = (given["industry"], given["industry_group"], given["sector"])
        companies.add({
            "sourceId": f"fd:{given['domain']}",
            "name": names[0],
            # the host of the file is often the investors' page; the domain is the company's
            "domain": host(given["domain"]),
            "alternativeNames": names[1:],
            "companyType": "Public Company",
            "location": _location(given),
            "stockSymbols": [symbol for symbol in given["symbols"].split("|") if symbol],
            **_industry(*(label for label in labels if label)),
        })  # fmt: skip
    by_symbol = {
        symbol: row for row in companies for symbol in row.get("stockSymbols", ()) if "." not in symbol
    }
    _add_sp500(data, companies, by_symbol)
    _add_headers(data, by_symbol)
    _add_subsidiaries(data, companies, by_symbol)


_PRODUCT = re.compile(
    r"\b(ETF|ETC|ETP|ETN|BDR|Pfd|Leverage Shares|Split Corp|Index Fund|DL|INH|PAIRED)\b"
    r"|[/,]-?\d|\d,\d|DR[NS]\b|ADRRC|NV PF"
)
_SHARE_CLASS = re.compile(
    r"\s+(Class [A-Z]|Series [A-Z]|(?:Un)?sponsored [AG]DR.*|[AG]DR|Depositary receipts?|\(publ\)|Cl [A-Z])$",
    re.IGNORECASE,
)


def _names(given: dict[str, str]) -> list[str]:
    """Return the company's names from a list that mixes them with those of its shares and of products on them.

    Other names are kept only if one begins with the other: some belong to another company of the group.
    """
    listed = [given["name"], *given["name_variants"].split("|")]
    names = [_SHARE_CLASS.sub("", name).strip() for name in listed if name and not _PRODUCT.search(name)]
    keys = {company_key(name): name for name in reversed(names)}
    own = company_key(names[0]) if names else ""
    return [
        name
        for name in dict.fromkeys(names)
        if keys[key := company_key(name)] == name and (key.startswith(own) or own.startswith(key))
    ]


def _industry(*labels: str) -> Row:
    """Return the industry of the first label that the taxonomy covers."""
    places = [normalise_industry(label) for label in labels]
    main, sub = next((place for place in places if place[0]), (None, None))
    return {"industry": main, "subIndustry": sub}


def _location(given: dict[str, str]) -> Row:
    state = given["state"]
    known = given["country"] in _WITH_STATE_CODES and _STATE_CODE.fullmatch(state)
    return {
        # former countries are not read
        "country": given["country"] if country_code(given["country"]) else None,
        "stateCode": state if known else None,
        "city": given["city"],
        "zipCode": given["zipcode"],
    }


def _add_sp500(data: OpenData, companies: Companies, by_symbol: dict[str, Row]) -> None:
    for given in data.table("companies/sp500_constituents.csv.gz"):
        symbol = given["Symbol"].replace(".", "-")
        company = by_symbol.get(symbol)
        if company is None:
            company = companies.named(given["Security"])
        if company is None:
            company = companies.add({
                "sourceId": f"sp500:{symbol}",
                "name": given["Security"],
                "companyType": "Public Company",
                "location": _headquarters(given["Headquarters Location"]),
                "stockSymbols": [symbol],
            })  # fmt: skip
            by_symbol[symbol] = company
        elif company_key(company["name"]) != company_key(given["Security"]):
            companies.add({**company, "alternativeNames": [given["Security"]]})
        # the list's industry is a level finer than the stored one
        company.update(_industry(given["GICS Sub-Industry"], given["GICS Sector"]))
        if year := _FOUNDED.search(given["Founded"]):
            company["yearFounded"] = int(year[1] or year[2])


def _headquarters(text: str) -> Row:
    """Split `Saint Paul, Minnesota`; outside the United States `Dublin, Ireland`."""
    city, _, region = text.split(";")[0].partition(", ")
    place = normalise_location("United States", "US", region, None, None, None, None, None)
    if place and place.state_code:
        return {"country": "United States", "stateCode": place.state_code, "city": city}
    return {"country": region, "city": city}


def _add_headers(data: OpenData, by_symbol: dict[str, Row]) -> None:
    for given in data.objects("companies/sec_company_headers_30.jsonl.gz"):
        company = next((by_symbol[symbol] for symbol in given["tickers"] if symbol in by_symbol), None)
        if company is None:
            continue
        address = given["addresses"]["business"]
        if _STATE_CODE.fullmatch(address["stateOrCountry"] or "") and not address.get("isForeignLocation"):
            company["location"] = {
                "country": "United States",
                "stateCode": address["stateOrCountry"],
                "city": address["city"].title(),
                "zipCode": address["zipCode"],
            }
        company["sicCodes"] = [{"code": int(given["sic"]), "description": given["sicDescription"]}]
        company["phones"] = [given["phone"]]
        unite(company, "alternativeNames", [former["name"].title() for former in given["formerNames"]])


def _add_subsidiaries(data: OpenData, companies: Companies, by_symbol: dict[str, Row]) -> None:
    """Add subsidiaries of known companies, by exhibit 21 of their annual reports."""
    tickers = {
        str(int(given["CIK"])): given["Ticker"]
        for given in data.table("companies/sec_cik_ticker_exchange.csv.gz")
    }
    given_names = [
        (given["parent_cik"], " ".join(given["Subsidiary"].split()))
        for given in data.table("companies/sec_exhibit21_subsidiaries_gold.csv.gz")
    ]
    once = Counter(company_key(name) for _, name in dict.fromkeys(given_names))
    for place, (cik, name) in enumerate(given_names):
        parent = by_symbol.get(tickers.get(cik, ""))
        # a repeated name, or one of another company, is ambiguous
        if parent is None or once[company_key(name)] > 1 or companies.named(name):
            continue
        companies.add({
            "sourceId": f"exhibit21:{cik}-{place:04}",
            "name": name,
            "companyType": "Private Company",
            "parents": [reference(parent)],
        })  # fmt: skip
