"""Signals from articles, through files and commits."""

import json

import msgspec
import pytest

from firmograph.directory.records import Company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.news import NewsFeed, canonical_url
from firmograph.ingest.feeds.service import import_feed
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from firmograph.signals.store import signals_of_records
from firmograph.signals.thresholds import load_thresholds
from record_factory import DIGESTS, load_companies
from stored_records import change_count, stored_companies

ARTICLE = {
    "url": "https://news.example.com/a",
    "date": "2020-03-04",
    "title": "A deal in robots",
    "text": "Initech said on Monday it agreed to acquire Globex for $2 billion, effective April 1, 2020. More follows.",
}


@pytest.fixture
def numbers(database) -> dict[str, int]:
    """Load companies and return their numbers by name."""
    rows = [("Initech", "initech.example"), ("Globex", "globex.example"), ("Target", "target.example")]
    load_companies(
        database, "crm", [msgspec.convert({"name": name, "domain": domain}, Company) for name, domain in rows]
    )
    return {str(record.name): number for number, record in stored_companies(database).items()}


@pytest.fixture
def imported(database, tmp_path):
    """Return a function that imports rows as a file; it returns the summary and reasons of rejected rows."""

    def run(*rows, name="news.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        rejects = []
        feed = NewsFeed(FeedDependencies(DIGESTS, load_thresholds()))
        hooks = (lambda file, reject: rejects.append(reject.reason), lambda progress: None)
        return import_feed(database, SetClock(), feed, [str(path)], "press", *hooks), rejects

    return run


def signals(database, *numbers):
    return signals_of_records(database.session(), Entity.COMPANY, numbers)


def test_both_sides_of_an_acquisition_get_the_signal_once(database, numbers, imported):
    summary, _ = imported(ARTICLE)
    assert (summary.read, summary.created, summary.signals, summary.unnamed) == (1, 1, 2, 0)
    before = change_count(database)
    again, _ = imported(ARTICLE, ARTICLE)
    assert (again.unchanged, again.signals, change_count(database)) == (2, 0, before)
    found = signals(database, numbers["Initech"], numbers["Globex"])
    assert [(one.type, one.day, one.detail) for one in found] == [
        ("corporateStrategyNews", "2020-03-04", "m&a")
    ] * 2


def test_an_event_contains_the_fields_of_the_api_and_no_text(database, numbers, imported):
    imported(ARTICLE)
    (signal,) = signals(database, numbers["Globex"])
    assert json.loads(signal.event) == {
        "eventType": "m&a",
        "eventSummary": "Initech is part of an acquisition or merger with Globex.",
        "articlePublishedDate": "2020-03-04",
        "articleTitle": "A deal in robots",
        "articleHighlight": ARTICLE["text"].removesuffix(" More follows."),
        "eventEffectiveDate": "2020-04-01",
        "articleUrl": "https://news.example.com/a",
    }


def test_a_sentence_of_the_text_shows_the_event_if_the_title_does_not(database, numbers, imported):
    imported({**ARTICLE, "title": "Initech to buy Globex"})
    (signal,) = signals(database, numbers["Globex"])
    assert json.loads(signal.event)["articleHighlight"].startswith("Initech said on Monday")


def test_an_unknown_company_is_never_created(database, numbers, imported):
    rows = {**ARTICLE, "text": "Hooli raised $20 million in a Series A round."}
    summary, _ = imported(rows)
    assert (summary.unchanged, summary.unnamed, summary.signals) == (1, 1, 0)
    assert len(stored_companies(database)) == 3


def test_an_article_without_an_event_changes_nothing_and_is_not_unnamed(database, numbers, imported):
    summary, _ = imported({**ARTICLE, "title": "Robots", "text": "Globex makes robots for kitchens."})
    assert (summary.unchanged, summary.unnamed, summary.signals) == (1, 0, 0)


def test_a_common_word_is_a_company_only_with_further_evidence(database, numbers, imported):
    text = "Target and Globex announced a partnership."
    imported({**ARTICLE, "title": "x", "text": f"The plan will miss Target. {text}"})
    assert [one.number for one in signals(database, *numbers.values())] == [numbers["Globex"]]
    imported({**ARTICLE, "url": "https://b.example.com", "text": f"The retailer {text}"})
    assert {one.number for one in signals(database, *numbers.values())} == {
        numbers["Globex"],
        numbers["Target"],
    }


def test_a_source_may_state_events_and_companies(database, numbers, imported):
    row = {
        "url": "https://filings.example.com/8-k/1",
        "date": "2021-02-03",
        "title": "Departure of directors or certain officers",
        "companies": ["globex.example", {"name": "Initech"}, "Nobody at all"],
        "eventTypes": ["executive departure", "EXECUTIVE HIRE"],
    }
    summary, _ = imported(row)
    assert (summary.created, summary.signals) == (1, 4)
    (one, other) = (json.loads(signal.event) for signal in signals(database, numbers["Globex"]))
    assert {one["eventType"], other["eventType"]} == {"executive departure", "executive hire"}
    assert one["articleHighlight"] == row["title"]


def test_stated_events_are_about_the_companies_of_the_title(database, numbers, imported):
    summary, _ = imported(
        {**ARTICLE, "title": "Globex wins a prize", "text": "", "eventTypes": "Recognition|Partnership"}
    )
    assert summary.signals == 2
    assert {one.detail for one in signals(database, numbers["Globex"])} == {"recognition", "partnership"}


def test_stated_companies_take_the_events_of_the_text(database, numbers, imported):
    text = "Hooli raised $20 million in a Series A round."
    summary, _ = imported({**ARTICLE, "text": text, "companies": "initech.example; Nobody"})
    assert summary.signals == 1
    assert [one.detail for one in signals(database, numbers["Initech"])] == ["funding round"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"date": "soon"}, "date: not a day"),
        ({"date": "2999-01-01"}, "in the future"),
        ({"url": "not an address"}, "url: not the address of a page"),
        ({"url": None}, "url: not the address of a page"),
        ({"eventTypes": ["wedding"]}, "eventTypes: not all of them are among the 26"),
        ({"title": "", "text": " "}, "no title and no text"),
    ],
)
def test_an_invalid_article_is_rejected(numbers, imported, change, reason):
    summary, rejects = imported(ARTICLE | change)
    assert (summary.rejected, rejects) == (1, [reason])


def test_a_table_is_read_by_its_headers(database, numbers, tmp_path):
    path = tmp_path / "news.csv"
    path.write_text(
        "Link,Published,Headline,Body,Event Types,Companies\n"
        'https://x.example.com/1,2020-01-01,A filing,,"Lawsuit Faced;Lawsuit Filed","Globex|Initech"\n'
    )
    feed = NewsFeed(FeedDependencies(DIGESTS, load_thresholds()))
    ignore = (lambda file, reject: None, lambda progress: None)
    assert import_feed(database, SetClock(), feed, [str(path)], "press", *ignore).signals == 4


def test_the_order_and_portions_of_articles_change_nothing(database, numbers, imported):
    rows = [
        {**ARTICLE, "url": f"https://news.example.com/{number}", "text": text}
        for number, text in enumerate(["Globex raised $3 million.", "Initech sued Globex.", ARTICLE["text"]])
    ]
    for row in reversed(rows):
        imported(row)
    first = {one.identity: one.event for one in signals(database, *numbers.values())}
    assert imported(*rows)[0].signals == 0
    assert len(first) == 5
    assert {one.identity: one.event for one in signals(database, *numbers.values())} == first


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        (
            "HTTPS://News.Example.com:443/A/b/?utm_source=x&id=7&fbclid=q#top",
            "https://news.example.com/A/b?id=7",
        ),
        ("news.example.com/", "https://news.example.com"),
        ("http://user:secret@news.example.com:8080/x", "http://news.example.com:8080/x"),
        ("http://news.example.com:99999/x", None),
        ("ftp", None),
    ],
)
def test_addresses_of_the_same_article_are_one(given, canonical):
    assert canonical_url(given) == canonical
