"""Attributes of records: what two records can have in common.

An attribute is `kind:value`. None names one record: names of people, addresses, domains and links are left out, and
what fewer than five records hold is not learnt (`learning.py`). Each function is pure, so one record has the same
attributes on every node.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from firmograph.directory.company_names import company_words
from firmograph.directory.records import Company, Contact, Funding, Location
from firmograph.directory.vocabulary import REVENUE_BANDS, SIZE_BANDS
from firmograph.prospecting.indexing.analysis import normal_words, whole, words

Attribute = str
"""`kind:value`, such as `industry:software` or `country:US`."""

_MAX_TEXT: Final = 4_000
"""Characters of a description that are read."""
_MAX_LIST: Final = 100
"""Values read of one list."""
_ADDRESS: Final = re.compile(r"\S+@\S+|(?:https?://|www\.)\S+", re.IGNORECASE)
_FOUNDED_YEARS: Final = 5
"""Years of a period of foundation."""


def kind_of(attribute: Attribute) -> str:
    return attribute.partition(":")[0]


def company_attributes(record: Company) -> list[Attribute]:
    """Return the attributes of a company, sorted, each once."""
    found: set[Attribute] = set()
    _add_industries(found, record)
    keywords = (
        *record.keywords[:_MAX_LIST],
        *record.specialities[:_MAX_LIST],
        *record.specialities_refactored[:_MAX_LIST],
        *record.industry_tags[:_MAX_LIST],
    )
    found.update(_values("keyword", keywords))
    found.update(_values("technology", record.technologies[:_MAX_LIST]))
    found.update(_values("business_model", record.business_model))
    if record.company_type:
        found.add(f"type:{whole(record.company_type)}")
    _add_figures(found, record)
    if record.location:
        found.update(_place(record.location))
    if record.funding:
        found.update(_funding(record.funding))
    found.update(f"word:{word}" for word in _company_texts(record, keywords))
    return sorted(found)


def contact_attributes(record: Contact) -> list[Attribute]:
    """Return the contact's own attributes, without those of the employer, sorted, each once."""
    found: set[Attribute] = set()
    if job := record.job_title:
        if job.title:
            found.update(_title(job.title))
        found.update(f"department:{whole(each)}" for each in job.departments)
        if job.seniority:
            found.add(f"seniority:{whole(job.seniority)}")
    if record.location:
        found.update(_place(record.location))
    return sorted(found)


def _add_industries(found: set[Attribute], record: Company) -> None:
    pairs = [(record.industry, record.sub_industry)]
    pairs += [(each.industry, each.sub_industry) for each in record.additional_industries]
    for main, sub in pairs:
        if main:
            found.add(f"industry:{whole(main)}")
            if sub:
                found.add(f"sub_industry:{whole(main)}/{whole(sub)}")
    for code in record.sic_codes:
        found.update(f"sic:{f'{code.code:04}'[:digits]}" for digits in (2, 4))
    for code in record.naics_codes:
        found.update(f"naics:{str(code.code)[:digits]}" for digits in (3, 6))


def _add_figures(found: set[Attribute], record: Company) -> None:
    if (size := record.employee_count) and (figure := size.exact or size.min or size.max):
        found.add(f"size:{_band(figure, SIZE_BANDS)}")
    if (revenue := record.revenue_range) and (amount := revenue.min or revenue.max):
        found.add(f"revenue:{_band(amount, REVENUE_BANDS)}")
    if record.year_founded:
        start = record.year_founded - record.year_founded % _FOUNDED_YEARS
        found.add(f"founded:{start}-{start + _FOUNDED_YEARS - 1}")


def _band(figure: float, bands: Iterable[tuple[int, int | None]]) -> str:
    """Return the band that a figure, or the lower end of a wider band, falls into."""
    label = ""
    for low, high in bands:
        label = f"{low}-{high}" if high else f"{low}+"
        if high is None or figure <= high:
            break
    return label


@lru_cache(maxsize=65_536)
def _place_of(country: str | None, state: str | None, city: str | None) -> tuple[Attribute, ...]:
    places = []
    if country:
        places.append(f"country:{country}")
    if state:
        places.append(f"state:{country or ''}/{whole(state)}")
    if city:
        places.append(f"city:{country or ''}/{whole(city)}")
    return tuple(places)


def _place(location: Location) -> tuple[Attribute, ...]:
    return _place_of(location.country_iso2 or location.country, location.state, location.city)


def _funding(funding: Funding) -> Iterator[Attribute]:
    rounds = [each.round_type for each in funding.rounds if each.round_type]
    if stage := funding.last_round_type or (rounds[0] if rounds else None):
        yield f"funding:{whole(stage)}"
    if funding.is_ipo:
        yield "funding:ipo"


def _company_texts(record: Company, keywords: Iterable[str]) -> Iterator[str]:
    """Return the words of name, description and keywords; legal forms are dropped, and addresses as a whole."""
    for text in (record.description, record.company_offering):
        if text:
            yield from _telling(words(_ADDRESS.sub(" ", text[:_MAX_TEXT])))
    for name in (record.name, *record.alternative_names[:5]):
        if name:
            yield from _telling(words(" ".join(company_words(_ADDRESS.sub(" ", name)))))
    for keyword in keywords:
        if not _ADDRESS.search(keyword):
            yield from _telling(words(keyword))


@lru_cache(maxsize=65_536)
def _title(title: str) -> tuple[Attribute, ...]:
    """Return the words of a title, with synonyms as one."""
    text = _ADDRESS.sub(" ", title)
    return tuple(f"title:{word}" for word in _telling(normal_words(text)))


def _telling(split: Iterable[str]) -> Iterator[str]:
    """Leave out stop words, single letters and figures."""
    stop_words = _stop_words()
    return (word for word in split if len(word) > 1 and not word.isdigit() and word not in stop_words)


def _values(kind: str, texts: Iterable[str]) -> Iterator[Attribute]:
    """Return whole values, except addresses."""
    return (f"{kind}:{value}" for text in texts if not _ADDRESS.search(text) and (value := whole(text)))


@cache
def _stop_words() -> frozenset[str]:
    text = files(__package__).joinpath("stop_words.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
