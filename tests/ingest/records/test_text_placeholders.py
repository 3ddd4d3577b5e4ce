"""Placeholders in fields of text (docs/reference/records.md#placeholders); the table has a column for each field."""

import csv
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from firmograph.ingest.feeds.feed import Feed, FeedDependencies
from firmograph.ingest.feeds.figure_feeds import HeadcountsFeed
from firmograph.ingest.feeds.jobs import JobsFeed
from firmograph.ingest.feeds.news import NewsFeed
from firmograph.ingest.feeds.posts import PostsFeed
from firmograph.ingest.reading.conversion import convert_row
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.records.company import normalise_company
from firmograph.ingest.records.contact import normalise_contact
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import read_source_id
from firmograph.signals.thresholds import load_thresholds
from record_factory import DIGESTS

pytestmark = pytest.mark.any_database

HERE = Path(__file__).parent


def contact(**fields: Any) -> Any:
    return normalise_contact(convert_row(fields, ContactInput)[0])


def company(**fields: Any) -> Any:
    return normalise_company(convert_row(fields, CompanyInput)[0])


def industry(cell: str) -> object:
    record = company(industry=cell)
    return record.industry or record.industry_tags


FIELDS: dict[str, Callable[[str], object]] = {
    "employer": lambda cell: contact(company=cell).company,
    "jobTitle": lambda cell: contact(jobTitle=cell).job_title,
    "city": lambda cell: contact(location={"city": cell}).location,
    "state": lambda cell: contact(location={"state": cell, "city": "Reno"}).location.state,
    "country": lambda cell: contact(location={"country": cell}).location,
    "skill": lambda cell: contact(skills=cell).skills,
    "firstName": lambda cell: contact(firstName=cell, lastName="Lowe").first_name,
    "lastName": lambda cell: contact(firstName="Ada", lastName=cell).last_name,
    "bothNames": lambda cell: contact(firstName=cell, lastName=cell).full_name,
    "fullName": lambda cell: contact(fullName=cell).full_name,
    "company": lambda cell: company(name=cell).name,
    "companyWithDomain": lambda cell: company(name=cell, domain="acme.example").name,
    "industry": industry,
    "keyword": lambda cell: company(keywords=cell).keywords,
    "description": lambda cell: company(description=cell).description,
    "stockSymbol": lambda cell: company(stockSymbols=cell).stock_symbols,
    "companyPage": lambda cell: company(linkedinUrl=cell).social_links,
    "personPage": lambda cell: contact(linkedinUrl=cell).social_links,
    "sourceId": read_source_id,
    "posting": lambda cell: posting(postingId=cell),
    "postingTitle": lambda cell: posting(title=cell),
    "postingCompany": lambda cell: posting(company=cell),
    "figureCompany": lambda cell: accepted(
        HeadcountsFeed, {"company": cell, "date": "2025-01-01", "count": 5}
    ),
    "newsTitle": lambda cell: article(title=cell),
    "newsText": lambda cell: article(text=cell),
    "newsCompany": lambda cell: (found := article(title="Acme hires", companies=cell)) and found.given,
    "postAuthor": lambda cell: post(author={"fullName": cell}),
    "postAuthorPage": lambda cell: post(author={"linkedinUrl": cell}),
    "postEmployer": lambda cell: (found := post(author={"name": "Ada", "company": cell})) and found.employer,
    "postText": lambda cell: post(text=cell),
    "postType": lambda cell: (found := post(type=cell)) and found.type != "post",
}


def accepted(feed: type[Feed[Any]], fields: dict[str, Any]) -> Any:
    """Return the fact of a row; None if the row is rejected."""
    reader = feed(FeedDependencies(DIGESTS, load_thresholds()))
    with suppress(Unusable):
        return reader.read_fact(1, convert_row(fields, reader.row)[0])
    return None


def posting(**fields: Any) -> Any:
    required = {"company": "Acme", "postingId": "1", "title": "Buyer", "openDate": "2025-06-02"}
    return accepted(JobsFeed, required | fields)


def article(**fields: Any) -> Any:
    return accepted(NewsFeed, {"url": "https://news.example/1", "date": "2025-06-02"} | fields)


def post(**fields: Any) -> Any:
    required = {"url": "https://posts.example/1", "date": "2025-06-02", "author": "Ada Lowe"}
    return accepted(PostsFeed, required | ({} if "text" in fields else {"text": "Hello"}) | fields)


def labelled() -> Iterable[tuple[str, str, bool]]:
    """Return field, cell, and whether the cell is a value."""
    text = (HERE / "text_placeholders.tsv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("# ")]
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        cell = row.pop("marker")
        for field, outcome in row.items():
            yield field, cell, outcome == "+"


@pytest.mark.parametrize("field", FIELDS)
def test_the_labelled_cells_of_a_field_are_values_or_not(field):
    cells = {cell: is_value for name, cell, is_value in labelled() if name == field}
    assert len(cells) > 100
    assert {cell: bool(FIELDS[field](cell)) for cell in cells} == cells


@pytest.mark.parametrize("cell", ["\\N", "<NA>", "#REF!", "-", "(blank)", "keine Angabe"])
def test_a_placeholder_is_not_counted_as_unread(cell):
    notes = Notes()
    row = {
        "jobTitle": {"title": "CFO", "seniority": cell},
        "location": {"country": cell},
        "linkedinUrl": cell,
    }
    normalise_contact(convert_row(row, ContactInput)[0], notes)
    assert notes.unread == []


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"fullName": "Ada N/A"}, ("Ada", None, "Ada")),
        ({"fullName": "#N/A Lowe"}, ("Lowe", None, "Lowe")),
        ({"fullName": "N/A N/A"}, (None, None, None)),
        ({"fullName": "nan nan"}, (None, None, None)),
        ({"fullName": "Null Null"}, ("Null", "Null", "Null Null")),
        ({"firstName": "N/A", "lastName": "Lowe", "fullName": "N/A Lowe"}, (None, "Lowe", "Lowe")),
        ({"firstName": "\\N", "lastName": "Lowe"}, (None, "Lowe", "Lowe")),
        ({"firstName": "none", "lastName": "None"}, (None, None, None)),
        ({"firstName": "Nan", "lastName": "Lin"}, ("Nan", "Lin", "Nan Lin")),
        ({"firstName": "Jo", "lastName": "No"}, ("Jo", "No", "Jo No")),
    ],
)
def test_names_lose_placeholders(names, expected):
    record = contact(**names)
    assert (record.first_name, record.last_name, record.full_name) == expected


def test_a_place_loses_the_parts_that_are_placeholders():
    places = ("nan, Nevada, United States", "Unknown, US", "N/A", "Windhoek, NA", "NA")
    found = [contact(location=place).location for place in places]
    shown = [place and (place.city, place.state, place.country_iso2) for place in found]
    assert shown == [("Nevada", None, "US"), (None, None, "US"), None, ("Windhoek", None, "NA"), None]


def test_codes_keep_the_letters_of_a_placeholder():
    record = company(
        name="Acme", location={"country": "NA", "state": "NA"}, stockSymbols=["NULL", "NA", "#REF!"]
    )
    assert (record.location.country, record.stock_symbols) == ("Namibia", ["NULL", "NA"])


def test_items_of_a_list_that_are_placeholders_are_left_out():
    record = company(name="Acme", keywords="anvils; nan; N/A; rockets", technologies=["None", "SQLite", None])
    assert (record.keywords, record.technologies) == (["anvils", "rockets"], ["SQLite"])


@pytest.mark.parametrize(
    "page",
    [
        "-",
        "--",
        "_",
        "https://www.linkedin.com/company/-",
        "linkedin.com/company/--/",
        "linkedin.com/company/~",
    ],
)
def test_punctuation_is_no_page_of_a_company(page):
    assert company(name="Acme", linkedinUrl=page).social_links is None


@pytest.mark.parametrize("year", ["19870", "45292", "12024", "45292.0", "1234568", 45292])
def test_a_year_of_foundation_that_could_be_a_number_of_days_is_unread(year):
    notes = Notes()
    record = normalise_company(convert_row({"name": "Acme", "yearFounded": year}, CompanyInput)[0], notes)
    assert (record.year_founded, notes.unread) == (None, [("yearFounded", year)])


@pytest.mark.parametrize("year", ["1987", "1987-05-01", "5/3/1987", "May 1987", "19870501", 1987, 1987.0])
def test_a_year_of_foundation_is_read_from_years_and_dates(year):
    assert company(name="Acme", yearFounded=year).year_founded == 1987
