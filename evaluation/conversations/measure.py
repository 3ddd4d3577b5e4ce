"""Measurement of the local analyser, and of search, on the labelled calls and on open meetings.

    python -m evaluation.conversations.measure [DATA] [--write] [--errors]

DATA is the folder of the open data with the meetings, of which this repository has twelve; without it only the calls
are measured. `--write` puts the tables into README.md; `--errors` lists the errors of the half of the calls that is for
tuning, and measures nothing else. Figures are of the halves that were not used for tuning.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.conversations import chapters, search, summaries
from evaluation.conversations.calls import compare
from evaluation.conversations.gold import HERE, Meeting, read_calls, read_meetings

README = HERE / "README.md"
HEADING = "## Figures\n"


def table(header: str, rows: Iterator[Sequence[object]]) -> str:
    """Return a table in Markdown; fractions have two digits, or three where they are texts already."""
    names = header.split("|")
    lines = [f"| {' | '.join(name.strip() for name in names)} |", "|---" + "|---:" * (len(names) - 1) + "|"]
    lines += [
        "| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def of_calls() -> str:
    calls = [call for call in read_calls() if call.labels.half == "held out"]
    counts = compare(calls)
    return f"Of {len(calls)} made-up calls that were not used for tuning:\n\n" + table(
        "made-up calls | labelled | found | right | precision | recall",
        (
            (
                name,
                one.labelled,
                one.found,
                one.right,
                one.right / (one.found or 1),
                one.right / (one.labelled or 1),
            )
            for name, one in counts.items()
        ),
    )


def of_summaries(meetings: Sequence[Meeting]) -> str:
    scores = summaries.score_methods(meetings)
    return (
        f"Of {len(meetings)} meetings that were not used for tuning, at {summaries.WORDS} words:\n\n"
        + table(
            "summary | ROUGE-L | ours is better by | 95 % interval",
            (
                (
                    name,
                    f"{values.mean():.3f}",
                    *(_apart(summaries.difference(scores["ours"], values)) if name != "ours" else ("", "")),
                )
                for name, values in scores.items()
            ),
        )
    )


def _apart(one: summaries.Difference) -> tuple[str, str]:
    return f"{one.mean:.3f}", f"{one.low:.3f} to {one.high:.3f}"


def of_chapters(meetings: Sequence[Meeting]) -> str:
    used = [one for one in meetings if one.boundaries is not None]
    found = [chapters.ours(one) for one in used]
    methods: dict[str, Sequence[chapters.Boundaries]] = {
        "ours": found,
        "even split": [chapters.even(one, len(ours)) for one, ours in zip(used, found, strict=True)],
        "random": [chapters.drawn(one, len(ours)) for one, ours in zip(used, found, strict=True)],
        "no boundary at all": [[] for _ in used],
    }
    counts = {name: chapters.match(used, boundaries) for name, boundaries in methods.items()}
    return (
        f"Of {len(used)} meetings that were not used for tuning and whose parts do not overlap:\n\n"
        + table(
            "chapters | labelled | found | right | F1 | Pk (lower is better)",
            (
                (
                    name,
                    one.labelled,
                    one.found,
                    one.right,
                    f"{one.f1:.3f}",
                    f"{chapters.pk(used, methods[name]):.3f}",
                )
                for name, one in counts.items()
            ),
        )
    )


def of_search(meetings: Sequence[Meeting]) -> str:
    rankings = search.rank(meetings, meetings)
    return (
        f"All {len(meetings)} meetings, as nothing was tuned, each asked for by its own questions:\n\n"
        + table(
            "search | questions | recall@1 | recall@10 | MRR",
            (
                (kind, len(one.ranks), one.recall(1), one.recall(10), one.reciprocal)
                for kind, one in rankings.items()
            ),
        )
    )


def sections(data: Path | None) -> Iterator[str]:
    yield of_calls()
    if data:
        meetings = read_meetings(data)
        untouched = [one for one in meetings if not one.is_tuned]
        yield of_summaries(untouched)
        yield of_chapters(untouched)
        yield of_search(meetings)


def list_errors() -> Iterator[str]:
    for name, count in compare([call for call in read_calls() if call.labels.half == "tune"]).items():
        yield f"{name}: {count.labelled} labelled, {count.found} found, {count.right} right"
        yield from (f"  {error}" for error in count.errors)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the local analyser of conversations.")
    parser.add_argument("data", type=Path, nargs="?", help="the folder of the open data")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {README.name}")
    parser.add_argument(
        "--errors", action="store_true", help="list the errors of the half used for tuning, alone"
    )
    options = parser.parse_args()
    if options.errors:
        print("\n".join(list_errors()))
        return
    text = "\n".join(sections(options.data))
    print(text)
    if options.write:
        before = README.read_text("utf-8").partition(HEADING)[0]
        README.write_text(
            f"{before}{HEADING}\nWritten by `python -m evaluation.conversations.measure DATA --write`.\n\n{text}",
            "utf-8",
        )


if __name__ == "__main__":
    main()
