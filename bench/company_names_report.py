"""Figures of look-ups of companies by names alike, as tables."""

import msgspec

from bench.tables import Table, verdict

MOST_MORE = 2.0
"""Milliseconds that a look-up by a name alike may take more than one by an equal key."""
MOST_SLOWER = 1.1
"""Time of an exact look-up with the index, as a multiple of that without it."""


class CompanyNamesReport(msgspec.Struct):
    companies: int
    exact_without: float
    """Milliseconds of a look-up by an equal key, without an index; medians of alternating rounds, as all of them."""
    exact: float
    alike: float
    """By a name that no company has, with the search for names alike."""
    alike_p99: float
    build_seconds: float
    load_seconds: float
    memory: float
    """Bytes a name in memory."""
    file: float
    """Bytes a name in the checkpoint."""


def company_names_tables(report: CompanyNamesReport) -> list[Table]:
    more, slower = report.alike - report.exact, report.exact / report.exact_without
    rows = [
        ("by an equal key, without the index, ms", f"{report.exact_without:.3f}", "", ""),
        (
            "by an equal key, ms",
            f"{report.exact:.3f}",
            f"{MOST_SLOWER:g} times",
            verdict((slower, MOST_SLOWER)),
        ),
        ("by a name alike, ms more", f"{more:.2f}", f"{MOST_MORE:g}", verdict((more, MOST_MORE))),
        ("by a name alike, p99, ms", f"{report.alike_p99:.2f}", "", ""),
        ("build and checkpoint, s", f"{report.build_seconds:.1f}", "", ""),
        ("start from the checkpoint, s", f"{report.load_seconds:.1f}", "", ""),
        ("memory, bytes a name", f"{report.memory:,.0f}", "", ""),
        ("checkpoint, bytes a name", f"{report.file:,.0f}", "", ""),
    ]
    return [Table("Look-ups of companies by name", ("", "measured", "aim", ""), rows)]
