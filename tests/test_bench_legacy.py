"""The bench of the older generation: its checks of answers and the report of its figures."""

import msgspec
import pytest
from bench.legacy_calls import Numbers, pairs
from bench.legacy_report import LegacyCall, LegacyReport, Speed, legacy_tables
from bench.mixes import Person

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]

PERSONS = [
    Person({"emails": ["ann.o+neil@example.com"]}, "a" * 22, "c" * 22),
    Person({"emails": [{"email": "bob@example.com"}]}, "b" * 22, "c" * 22),
]


def report_of(ratio=0.5):
    legacy, current = Speed(250.0, 4_000.0, 4.0), Speed(500.0, 2_000.0, 2.0)
    calls = [
        LegacyCall("older people", "current people", 0.45, legacy, current, ratio),
        LegacyCall("older search", "current search", 0.5, legacy, current, 0.5),
    ]
    return LegacyReport(1_000_000, 100_000, calls)


def verdicts(measured):
    (table,) = legacy_tables(measured)
    return [row[table.columns.index("")] for row in table.rows]


def test_a_ratio_under_its_aim_is_missed_and_one_at_its_aim_is_met():
    assert verdicts(report_of()) == ["met", "met"]
    assert verdicts(report_of(ratio=0.44)) == ["missed", "met"]


def test_both_generations_ask_for_the_same_people():
    people, person, search = pairs(PERSONS, ["Software Engineer"], Numbers(1, 1), "key")
    assert b'{"contactId":"1","email":"bob@example.com"}' in people.legacy.requests[0]
    assert person.legacy.requests[0].startswith(
        b"GET /v2/person?email=ann.o%2Bneil%40example.com HTTP/1.1\r\n"
    )
    assert b'{"ids":["aaaaaaaaaaaaaaaaaaaaaa"]}' in person.current.requests[0]
    for one in (search.legacy, search.current):
        assert b'{"contacts":{"include":{"jobTitles":["Software Engineer"]}}}' in one.requests[0]


@pytest.mark.parametrize(
    "item",
    [
        {"error": {"code": 3}, "isCreditCharged": False, "data": None},
        {"error": None, "isCreditCharged": True, "data": {"emails": ["a@example.com"]}},
    ],
)
def test_an_unknown_or_charged_person_ends_the_run(item):
    people, person, _ = pairs(PERSONS, ["Software Engineer"], Numbers(1, 1), "key")
    for call, answer in ((people, {"contacts": {"0": item}}), (person, {"contact": item})):
        with pytest.raises(RuntimeError, match="request 7"):
            call.legacy.check([(7, msgspec.json.encode(answer))])
