"""Lines of access logs: page views, what is left out, and what cannot be read."""

import gzip
import io
import json

import pytest

from firmograph.ingest.reading.lines import MAX_LINE, Lines
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.kit.errors import Refused
from firmograph.visits.reading.access_log import AccessLog
from firmograph.visits.reading.files import recognise
from firmograph.visits.reading.json_lines import PageViewLines
from firmograph.visits.reading.page_rule import LineCounts
from firmograph.visits.types import RawPageView

pytestmark = pytest.mark.no_database

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)
NOON = 1_790_078_400
"""2026-09-22, 12:00 UTC."""
LATEST = NOON + 3_600
HASH = "ab" * 32


def line(
    request="GET /pricing HTTP/1.1",
    *,
    status=200,
    agent=CHROME,
    at="22/Sep/2026:12:00:00 +0000",
    before="",
    after="",
):
    return f'{before}203.0.113.7 - - [{at}] "{request}" {status} 512 "https://acme.test/" "{agent}"{after}\n'


def read(text, reader=AccessLog):
    """Return what a site finds in a text, and the counts."""
    counts, values = LineCounts(), ColumnCounts()
    more = (values,) if reader is PageViewLines else ()
    found = reader("acme.test", LATEST, counts, *more).read(Lines(io.BytesIO(text.encode())))
    return list(found), counts, values


def page_views(text, reader=AccessLog):
    return read(text, reader)[0]


def row(**given):
    return json.dumps({"time": NOON, "url": "https://acme.test/pricing", "ip": "203.0.113.7", **given})


VIEW = RawPageView(NOON, "/pricing", "203.0.113.7", CHROME)


@pytest.mark.parametrize(
    "text",
    [
        line(),
        line(status=304),
        line(at="22/Sep/2026:14:00:00 +0200"),
        line(at="22/Sep/2026:07:30:00 -0430"),
        line(after=' "203.0.113.99" 0.004'),
        line(before="www.acme.test:443 "),
        line().replace("- -", "- Jane Doe"),
        line().replace("https://acme.test/", r"https://a.test/?q=\"x\""),
        line().replace("\n", "\r\n"),
        "\ufeff" + line(),
    ],
)
def test_a_page_view_is_read_in_every_usual_form(text):
    assert [one._replace(agent=CHROME) for one in page_views(text)] == [VIEW]


def test_intent_patterns_get_the_path_with_its_query_as_it_came():
    (found,) = page_views(line("GET /a%20b/?x=1%2F2 HTTP/1.1"))
    assert found.path == "/a%20b/?x=1%2F2"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (line(agent="-"), "bots"),
        (line(agent="curl/8.7.1"), "bots"),
        (line("GET /app.css?v=3 HTTP/1.1"), "assets"),
        (line("GET /Logo.PNG HTTP/2.0"), "assets"),
        (line("GET /feed.xml HTTP/2.0"), "assets"),
        (line("POST /pricing HTTP/1.1"), "other_requests"),
        (line("HEAD /pricing HTTP/1.1"), "other_requests"),
        (line(status=404), "other_requests"),
        (line(status=301), "other_requests"),
        (line(r"\x16\x03\x01", status=400), "other_requests"),
        (line("GET http://elsewhere.test/ HTTP/1.1"), "other_requests"),
        (line(after=' "prefetch;prerender"'), "prefetched"),
        (line(before="shop.globex.test:80 "), "other_sites"),
    ],
)
def test_other_lines_are_counted_by_what_they_are(text, kind):
    found, counts, _ = read(text)
    assert (found, counts) == ([], LineCounts(**{kind: 1}))


def test_documents_and_paths_with_dots_are_page_views():
    text = "".join(
        line(f"GET {path} HTTP/1.1") for path in ("/paper.pdf", "/", "/v1.2/", "/index.php?a=b.png")
    )
    assert len(page_views(text)) == 4


def test_an_agent_that_reads_robots_txt_is_handed_on_and_counted_as_a_bot():
    (found,), counts, _ = read(line("GET /robots.txt HTTP/1.1", status=404))
    assert (found.path, found.agent, counts.bots) == ("/robots.txt", CHROME, 1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("garbage\n", "it is not in combined format"),
        (line()[:-3] + "\n", "it is not in combined format"),
        (line(at="22/Xxx/2026:12:00:00 +0000"), "its time cannot be read"),
        (line(at="31/Feb/2026:12:00:00 +0000"), "its time cannot be read"),
        (line(at="22/Sep/2026:12:99:00 +0000"), "its time cannot be read"),
        (line(at="yesterday"), "its time cannot be read"),
        (line(at="22/Sep/2026:14:00:00 +0000"), "its time lies in the future"),
        (
            '203.0.113.7 - - [22/Sep/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5\n',
            "it names no user agent, as in common format",
        ),
        ("x" * (MAX_LINE + 9) + "\n", "the line is longer than 1,048,576 bytes"),
    ],
)
def test_lines_that_do_not_fit_give_a_reason_without_their_content(text, reason):
    assert page_views(text) == [reason]


# JSON Lines


@pytest.mark.parametrize(
    "time", [NOON, NOON + 0.9, str(NOON), "2026-09-22T12:00:00Z", "2026-09-22T14:00:00.5+02:00"]
)
def test_times_of_page_views_are_epoch_seconds_or_iso_with_a_zone(time):
    assert page_views(row(time=time), PageViewLines) == [VIEW._replace(agent="")]


def test_all_keys_of_a_page_view_are_read():
    text = row(
        url="https://shop.acme.test/p?q=1", userAgent=CHROME, referrer="https://x.test/", visitor="v1",
        emailDomain="Globex.test", emailHash=HASH.upper(), customerId=4711, durationSeconds="12",
    )  # fmt: skip
    found, _, values = read(text, PageViewLines)
    assert found == [
        RawPageView(NOON, "/p?q=1", "203.0.113.7", CHROME, "v1", "globex.test", HASH, "4711", 12)
    ]
    assert (values.unread, values.unknown) == ({}, {})


def test_values_that_cannot_be_read_cost_the_value_and_are_counted_without_a_sample():
    found, _, values = read(
        row(ip="nobody", emailHash="jane@acme.test", durationSeconds=-1, visitor="v", page=3), PageViewLines
    )
    assert found == [RawPageView(NOON, "/pricing", visitor="v")]
    assert {key: one.count for key, one in values.unread.items()} == {
        "ip": 1,
        "emailHash": 1,
        "durationSeconds": 1,
    }
    assert (values.unknown, any(values.samples.values())) == ({"page": 1}, False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1]", "it is no JSON object"),
        ("{", "it is no JSON object"),
        (row(time=None), "it has no time"),
        (
            row(time="noon"),
            "its time cannot be read; write it as 2026-03-31T14:00:00Z, or in seconds since 1970",
        ),
        (
            row(time=True),
            "its time cannot be read; write it as 2026-03-31T14:00:00Z, or in seconds since 1970",
        ),
        (row(time="2026-09-22T12:00:00"), "its time has no zone; write it as 2026-03-31T14:00:00Z"),
        (row(time=NOON * 1000), "its time is in milliseconds; give seconds"),
        (row(time=LATEST + 1), "its time lies in the future"),
        (row(url=""), "it has no url"),
        (row(url="pricing"), "its url is neither an address nor a path"),
        (row(url="https://[x/"), "its url cannot be read"),
    ],
)
def test_page_views_that_do_not_fit_give_a_reason(text, reason):
    assert page_views(text, PageViewLines) == [reason]


def test_bots_assets_and_other_sites_are_counted_in_page_views_too():
    rows = [
        row(userAgent="curl/8.7.1"),
        row(url="/app.js"),
        row(url="https://acme.test.evil.test/"),
        row(url="/"),
    ]
    found, counts, _ = read("\n".join(rows), PageViewLines)
    assert (len(found), counts) == (1, LineCounts(bots=1, assets=1, other_sites=1))


# which kind a file is


def test_files_are_recognised_by_content_plain_and_gzipped(tmp_path):
    log, rows = tmp_path / "a.json", tmp_path / "b.log.gz"
    log.write_text("garbage first\n" + line())
    rows.write_bytes(gzip.compress(b"\n" + row().encode()))
    assert recognise(rows) is PageViewLines
    assert isinstance(recognise(log)("acme.test", LATEST, LineCounts(), ColumnCounts()), AccessLog)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"time,url\n1,/\n", "neither an access log in combined format nor JSON Lines"),
        (
            b'203.0.113.7 - - [22/Sep/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5\n',
            "write it in combined format",
        ),
        (gzip.compress(line().encode())[:-12], "it ends too early"),
    ],
)
def test_files_of_another_kind_are_refused_with_advice(tmp_path, content, message):
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(Refused, match=message):
        recognise(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(Refused, match="No such file"):
        recognise(tmp_path / "log")
