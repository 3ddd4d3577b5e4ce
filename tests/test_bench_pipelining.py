"""The report of clients that do not wait for answers."""

import pytest
from bench.pipelining_report import Attack, HalfSent, PipeliningReport, PipeliningRound, pipelining_tables

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]

MIB = 1 << 20


def round_of(name, ratio, memory, back=0.1):
    attacks = [
        Attack("that wait", 500.0, 10.0, 50.0, MIB, 0.0),
        Attack("that do not", 400.0, 12.0, 50.0 * ratio, 30 * MIB, back),
    ]
    return PipeliningRound(name, attacks, HalfSent(memory * MIB, 5.0, back))


def report_of(*rounds):
    return PipeliningReport(list(rounds), 40, 1_000, 900_000, 4.0)


def test_ratios_are_of_rounds_and_their_median_decides():
    attacks, bodies = pipelining_tables(
        report_of(round_of("now", 1.0, 40), round_of("now", 9.0, 90), round_of("now", 1.5, 64))
    )
    assert [row[5:7] for row in attacks.rows] == [("1", ""), ("1.50", "met")]
    assert [row[1:3] for row in bodies.rows] == [("64 MiB", "met")]


def test_the_state_before_has_rows_of_its_own():
    attacks, bodies = pipelining_tables(
        report_of(round_of("before", 20.0, 400, back=None), round_of("now", 1.0, 40))
    )
    assert [(row[1], row[6], row[8]) for row in attacks.rows] == [
        ("before", "", "0.0 s"),
        ("before", "missed", "over a minute"),
        ("now", "", "0.0 s"),
        ("now", "met", "0.1 s"),
    ]
    assert [row[2] for row in bodies.rows] == ["missed", "met"]
