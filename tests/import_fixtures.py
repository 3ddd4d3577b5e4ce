"""A file of every kind of import with signals where possible, and a target database."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from typer.testing import CliRunner, Result

import database_fixtures
import job_factory
from firmograph.cli.ingest import app
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.security.record_ids import Entity
from firmograph.signals.store import last_signal_id
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.store import NewSubscription
from record_factory import KEYRING

SAMPLES = Path(__file__).parents[1] / "docs" / "samples"
FEEDS = {
    "headcounts": "headcounts.csv",
    "traffic": "traffic.csv",
    "it-spend": "it-spend.jsonl",
    "news": "news.jsonl",
    "posts": "posts.jsonl",
}
KINDS = ("contacts", "companies", "jobs", *FEEDS)
JANE = {"sourceId": "1", "fullName": "Jane Doe", "emails": ["jane@acme.example"], "jobTitle": "Clerk"}

Run = Callable[..., Result]
"""Runs `firmograph import` with these words."""


class Prepared(NamedTuple):
    """A database with companies and a person; `run` imports into it."""

    database: Database
    run: Run
    files: dict[str, Path]
    """By kind."""


def prepare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepared]:
    url = database_fixtures.fresh(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", url)
    monkeypatch.setenv("FIRMOGRAPH_KEYS", msgspec.json.encode(KEYRING).decode())
    # the facts of the samples are of last year
    monkeypatch.setenv("FIRMOGRAPH_WEBHOOK_MAX_SIGNAL_AGE", "100000")
    database = Database(url)
    people = written(folder / "people.jsonl", {**JANE, "company": "acme.example", "updateDate": "2026-01-01"})
    assert run("companies", SAMPLES / "companies.jsonl").exit_code == 0
    assert run("contacts", people).exit_code == 0
    yield Prepared(database, run, _files(folder))
    database.close()
    database_fixtures.drop(url)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _files(folder: Path) -> dict[str, Path]:
    moved = {**JANE, "company": "globex.example", "updateDate": "2026-02-01"}
    surging = job_factory.weekly("acme.example", [1] * 9 + [12, 1])
    return {
        "contacts": written(
            folder / "moved.jsonl", moved, {"fullName": "New Person", "emails": ["new@acme.example"]}
        ),
        "companies": written(
            folder / "more.jsonl",
            {"name": "Acme", "domain": "acme.example", "description": "Anvils"},
            {"name": "New", "domain": "new.example"},
        ),
        "jobs": Path(job_factory.written(folder, surging)),
        **{kind: Path(shutil.copy(SAMPLES / name, folder)) for kind, name in FEEDS.items()},
    }


def subscribe(
    database: Database, account_id: int, entity: Entity, number: int, *types: str, token: str = ""
) -> None:
    """Subscribe to signals from now on."""
    with database.write(account_scope(account_id)) as session:
        new = NewSubscription(
            token or f"{account_id:08x}{entity:08x}{number:08x}",
            int(entity),
            number,
            "v1.x",
            ",".join(types or ["allSignals"]),
            "",
            None,
            "https://hooks.example.com/",
            "https://hooks.example.com",
            0.0,
            last_signal_id(session),
        )
        subscription_store.add(AccountSession(session, account_id), [new])
