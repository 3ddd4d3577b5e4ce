"""`firmograph lookalike` in this process, over companies and people of three trades."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from prospect_command import Stocked
from typer.testing import CliRunner, Result

from firmograph.cli import ingest
from firmograph.cli.lookalike import search
from firmograph.cli.lookalike.commands import app

SIZE: Final = 12
"""Companies of a trade; each employs one person."""
TRADES: Final = {
    "bakery": ("Retail", ["bread", "cake", "flour"], "Head Baker"),
    "shipyard": ("Manufacturing", ["vessels", "docks", "steel"], "Naval Architect"),
    "software": ("Technology, Information & Media", ["cloud", "databases", "search"], "Software Engineer"),
}
"""Industry, keywords and title of each trade."""

Run = Callable[..., Result]


def domain(trade: str, number: int) -> str:
    return f"{trade}{number}.example.com"


def email(trade: str, number: int) -> str:
    return f"ann@{domain(trade, number)}"


def domains(trade: str, *numbers: int) -> list[str]:
    return [domain(trade, number) for number in numbers]


def companies() -> Iterator[dict[str, Any]]:
    for trade, (industry, keywords, _) in TRADES.items():
        for number in range(SIZE):
            yield {
                "name": f"{trade.title()} {number}",
                "domain": domain(trade, number),
                "linkedinUrl": f"https://www.linkedin.com/company/{trade}-{number}",
                "industry": industry,
                # no two companies hold exactly the same
                "keywords": [word for place, word in enumerate(keywords) if number % 4 != place],
                "location": {"country": "US" if number % 2 else "DE"},
            }


def people() -> Iterator[dict[str, Any]]:
    for trade, (_, _, title) in TRADES.items():
        for number in range(SIZE):
            yield {
                "firstName": "Ann",
                "lastName": f"{trade.title()}{'abcdefghijkl'[number]}",
                "jobTitle": f"Senior {title}" if number % 3 else title,
                "emails": [{"email": email(trade, number), "type": "work"}],
                "company": {"domain": domain(trade, number)},
                "location": {"country": "US" if number % 2 else "DE"},
            }


def import_records(stocked: Stocked, kind: str, rows: Iterator[dict[str, Any]]) -> None:
    path = stocked.folder / f"{kind}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = CliRunner().invoke(ingest.app, [kind, str(path)], env=stocked.environment)
    assert done.exit_code == 0, done.output


def runner(stocked: Stocked) -> Run:
    """Return a function that runs `firmograph lookalike` with these arguments."""

    def run(*words: object, given: str | None = None) -> Result:
        with pytest.MonkeyPatch.context() as patch:
            # logging is configured for a whole process, and this one continues
            patch.setattr(search, "set_up_logs", lambda level: None)
            return CliRunner().invoke(
                app, [str(word) for word in words], input=given, env=stocked.environment
            )

    return run


def found(done: Result) -> list[dict[str, Any]]:
    """Return the results that `--json` printed."""
    assert done.exit_code == 0, done.output
    results: list[dict[str, Any]] = json.loads(done.stdout)["results"]
    return results


def as_options(name: str, values: list[str]) -> list[str]:
    return [word for value in values for word in (f"--{name}", value)]


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
