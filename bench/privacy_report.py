"""Figures of requests of people, as tables."""

import msgspec

from bench.tables import Table, verdict

FIND_AIM = 1.0
SCAN_AIM = 30.0
"""Seconds of a search by telephone number, which reads all contacts."""
HIDDEN_AIM = 1.0
"""Seconds until no answer shows a person, the start of the command included."""
_SCAN = "telephone number"


class Found(msgspec.Struct):
    """A search by one identifier."""

    title: str
    seconds: float
    processor: float
    """Processor time of the command in seconds."""


class Erased(msgspec.Struct):
    """An erasure."""

    title: str
    people: int
    hidden: float
    """Seconds until no answer shows them."""
    seconds: float
    """Until no file of the machine holds them."""
    processor: float
    """Processor time of the command in seconds."""


class PrivacyReport(msgspec.Struct):
    contacts: int
    found: list[Found]
    erased: list[Erased]


def privacy_tables(report: PrivacyReport) -> list[Table]:
    return [_found(report), _erased(report)]


def _found(report: PrivacyReport) -> Table:
    rows = []
    for each in report.found:
        aim = SCAN_AIM if each.title == _SCAN else FIND_AIM
        used = f"{each.processor:,.2f} s"
        rows.append(
            (each.title, f"{each.seconds:,.2f} s", f"{aim:,.0f} s", verdict((each.seconds, aim)), used)
        )
    return Table("Search of a person", ("find by", "time", "aim", "", "processor time"), rows)


def _erased(report: PrivacyReport) -> Table:
    rows = [
        (
            each.title,
            f"{each.people:,}",
            f"{each.hidden:,.2f} s",
            f"{HIDDEN_AIM:,.0f} s" if each.people == 1 else "",
            verdict((each.hidden, HIDDEN_AIM)) if each.people == 1 else "",
            f"{each.seconds:,.1f} s",
            f"{each.processor:,.1f} s",
        )
        for each in report.erased
    ]
    heads = (
        "erasure of",
        "people",
        "until no answer shows them",
        "aim",
        "",
        "until no file holds them",
        "processor time",
    )
    return Table("Erasure of people", heads, rows)
