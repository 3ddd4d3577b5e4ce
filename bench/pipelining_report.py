"""Figures of clients that do not wait for answers, as tables."""

from collections.abc import Callable
from statistics import median

import msgspec

from bench.tables import Table, verdict

RATIO_AIM = 2.0
"""Most of the others' p99, in parts of that with clients that wait for each answer."""
BODIES_AIM = 64 << 20


class Attack(msgspec.Struct):
    title: str
    per_second: float
    """Answers to the other callers."""
    p50: float
    p99: float
    """Waits of the other callers, in milliseconds."""
    memory: int
    """Memory at its peak, above that before."""
    back: float | None
    """Seconds until memory is back; None is more than a minute."""


class HalfSent(msgspec.Struct):
    memory: int
    p99: float
    back: float | None


class PipeliningRound(msgspec.Struct):
    name: str
    attacks: list[Attack]
    """The first waits for each answer."""
    half_sent: HalfSent


class PipeliningReport(msgspec.Struct):
    rounds: list[PipeliningRound]
    connections: int
    bodies: int
    body_bytes: int
    seconds: float


def pipelining_tables(report: PipeliningReport) -> list[Table]:
    names = list(dict.fromkeys(one.name for one in report.rounds))
    of = {name: [one for one in report.rounds if one.name == name] for name in names}
    attacks = [row for name in names for row in _attack_rows(name, of[name])]
    bodies = [_half_sent_row(name, of[name]) for name in names]
    return [
        Table(
            "Requests that do not wait for answers",
            (
                "connections without a key",
                "",
                "others, requests/s",
                "p50, ms",
                "p99, ms",
                "p99 in parts of the first",
                "",
                "memory added",
                "memory back after",
            ),
            attacks,
        ),
        Table(
            "Half-sent bodies",
            ("bodies with a key", "memory added", "", "others' p99, ms", "memory back after"),
            bodies,
        ),
    ]


def _attack_rows(name: str, rounds: list[PipeliningRound]) -> list[tuple[str, ...]]:
    rows = []
    for place, one in enumerate(rounds[0].attacks):

        def middle(figure: Callable[[Attack], float], place: int = place) -> float:
            return median(figure(each.attacks[place]) for each in rounds)

        ratio = median(each.attacks[place].p99 / each.attacks[0].p99 for each in rounds)
        rows.append(
            (
                one.title,
                name,
                f"{middle(lambda each: each.per_second):,.0f}",
                f"{middle(lambda each: each.p50):,.1f}",
                f"{middle(lambda each: each.p99):,.1f}",
                f"{ratio:.2f}" if place else "1",
                verdict((ratio, RATIO_AIM)) if place else "",
                _mebibytes(middle(lambda each: each.memory)),
                _seconds([each.attacks[place].back for each in rounds]),
            )
        )
    return rows


def _half_sent_row(name: str, rounds: list[PipeliningRound]) -> tuple[str, ...]:
    memory = median(each.half_sent.memory for each in rounds)
    return (
        name,
        _mebibytes(memory),
        verdict((memory, BODIES_AIM)),
        f"{median(each.half_sent.p99 for each in rounds):,.1f}",
        _seconds([each.half_sent.back for each in rounds]),
    )


def _mebibytes(number: float) -> str:
    return f"{number / 2**20:,.0f} MiB"


def _seconds(times: list[float | None]) -> str:
    longest = max(float("inf") if each is None else each for each in times)
    return f"{longest:,.1f} s" if longest < float("inf") else "over a minute"
