"""`firmograph prospect` in this process, over a few people and companies, and its answers."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO, NamedTuple

import pytest
from typer.testing import CliRunner, Result

from firmograph.cli import ingest
from firmograph.cli.prospect import search
from firmograph.cli.prospect.commands import app
from firmograph.kit.errors import FirmographError
from process_server import LoadedProcess
from server_fixtures import Command

COMPANIES = [
    {
        "name": "Acme Inc",
        "domain": "acme.example.com",
        "industry": "Technology, Information & Media",
        "subIndustry": "Software Development",
        "employeeCount": {"exact": 120},
        "revenueRange": {"min": 10_000_000, "max": 50_000_000},
        "yearFounded": 2012,
        "technologies": ["Argo CD", "Thanos"],
        "location": {"city": "Columbus", "state": "Ohio", "country": "US"},
    },
    {
        "name": "Birch GmbH",
        "domain": "birch.example.com",
        "industry": "Finance",
        "employeeCount": {"min": 11, "max": 50},
        "technologies": ["Thanos"],
        "location": {"city": "Berlin", "country": "DE"},
    },
]


def person(first: str, title: str, company: str, **more: object) -> dict[str, object]:
    employer = {"domain": f"{company}.example.com"}
    return {
        "sourceId": first,
        "firstName": first,
        "lastName": "Roe",
        "jobTitle": title,
        "company": employer,
        **more,
    }


OHIO = {"city": "Columbus", "state": "Ohio", "country": "US"}
TEXAS = {"city": "Austin", "state": "Texas", "country": "US"}
BERLIN = {"city": "Berlin", "country": "DE"}
PEOPLE = [
    person(
        "Ann", "VP of Sales", "acme", location=OHIO, skills=["Rust"],
        emails=[{"email": "ann@acme.example.com", "type": "work"}],
        phones=[{"number": "+1 202 555 0101", "type": "mobile", "doNotCall": True}],
        socialLinks={"linkedin": "https://www.linkedin.com/in/ann-roe"},
    ),
    person(
        "Bea", "Software Engineer", "acme", location=TEXAS, skills=["Go"],
        emails=[{"email": "bea@acme.example.com", "type": "work"}],
    ),
    person("Cy", "Software Engineer", "birch", location=BERLIN),
    person("Dee", "Sales Manager", "birch", location=BERLIN, phones=[{"number": "+1 202 555 0102", "type": "direct"}]),
]  # fmt: skip


Run = Callable[..., Result]
SALES = ("contacts", "--title", "sales")
"""Finds Ann and Dee."""


class Stocked(NamedTuple):
    """A database with these people and companies, and the folder of its keys and its checkpoint."""

    url: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            "FIRMOGRAPH_DATABASE_URL": self.url,
            "FIRMOGRAPH_KEYS_FILE": str(self.folder / "keys"),
            "FIRMOGRAPH_SEARCH_FOLDER": str(self.folder),
        }

    @property
    def command(self) -> Command:
        """Commands of a new Python."""
        command = Command(self.folder, self.url)
        command.environment.update(self.environment)
        return command

    def forked(self, *arguments: str, stdout: int | IO[bytes] = subprocess.PIPE) -> CompletedProcess[str]:
        """Run a command in a forked process, with its output to a file if one is given."""
        return self.forked_line(["-m", "firmograph.cli.main", *arguments], stdout=stdout)

    def forked_line(
        self, line: list[str], *, stdout: int | IO[bytes] = subprocess.PIPE
    ) -> CompletedProcess[str]:
        """Run Python with these arguments in a forked process."""
        with LoadedProcess(
            line,
            cwd=self.folder,
            env=self.command.environment,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            out, err = process.communicate()
        return CompletedProcess(line, process.returncode, out, err)


def stock(stocked: Stocked) -> None:
    """Import these people and companies."""
    for kind, rows in (("companies", COMPANIES), ("contacts", PEOPLE)):
        path = stocked.folder / f"{kind}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = CliRunner().invoke(ingest.app, [kind, str(path)], env=stocked.environment)
        assert done.exit_code == 0, done.output


def runner(stocked: Stocked) -> Run:
    """Return a function that runs `firmograph prospect` with these arguments."""

    def run(*words: object, given: str | None = None) -> Result:
        with pytest.MonkeyPatch.context() as patch:
            # logging is configured for a whole process, and this one continues
            patch.setattr(search, "set_up_logs", lambda level: None)
            return CliRunner().invoke(
                app, [str(word) for word in words], input=given, env=stocked.environment
            )

    return run


def names(done: Result) -> set[str]:
    """Return the first names of people, or the names of companies, that `--json` printed."""
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    found = {row.get("firstName") or row["name"] for row in printed["results"]}
    assert printed["total"] == len(found)
    return found


def refusal(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (1, "")
    assert isinstance(done.exception, FirmographError)
    return done.exception.message


def misused(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (2, "")
    return " ".join(done.stderr.replace("│", "").split())
