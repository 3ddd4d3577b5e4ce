"""Importing the service's own answers into an empty installation gives the same answers."""

import json
from collections import Counter

import pytest

import database_fixtures
from demo_factory import demo_part
from effort import THOROUGH
from firmograph.database.connection import Database
from firmograph.directory.data_points import COMPANY_TOKENS
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from record_factory import KEYRING
from server_fixtures import Service

EVERY = 10 if THOROUGH else 80
"""Every how many rows of the demo data are taken."""
PLURALS = {Entity.COMPANY: "companies", Entity.CONTACT: "contacts"}
BATCH = 100
TOKENS = RecordIds(KEYRING)
IDS = ("id", "lushaCompanyId")


@pytest.fixture
def installation(tmp_path):
    """Return a function that makes an installation from the content of files, all of which are accepted."""
    made = []

    def installation(name, files):
        database = Database(database_fixtures.fresh(tmp_path, name))
        made.append(database)
        rejects = []
        for entity, path in files.items():
            job = ImportTask(entity=entity, paths=[str(path)], source="answers", keyring=KEYRING)
            import_files(database, job, SetClock(), lambda _, reject: rejects.append(reject), lambda _: None)
        assert rejects == []
        return Service(database, KEYRING, SetClock(), Settings(database_url=f"sqlite:///{database.path}"))

    yield installation
    for database in made:
        database.close()


def answers(service, entity):
    """Return enrich's answer for every record, with everything revealed."""
    plural = PLURALS[entity]
    reveal = {"reveal": list(COMPANY_TOKENS)} if entity is Entity.COMPANY else {}
    rows = service.database.session().raw.execute(f"SELECT id FROM {plural} ORDER BY id").fetchall()
    ids = [TOKENS.seal(entity, row[0]) for row in rows]
    results = []
    for start in range(0, len(ids), BATCH):
        answer = service.post(f"/v3/{plural}/enrich", {"ids": ids[start : start + BATCH]} | reveal)
        assert answer.status_code == 200, answer.text
        results += answer.json()["results"]
    return results


def named(companies):
    """Return the company that each company id stands for, in any installation."""
    return {
        one["id"]: (one["name"], one.get("domain"), one.get("socialLinks", {}).get("linkedin"))
        for one in companies
    }


def without_ids(value, names):
    """Return an answer with companies named and without the ids of people."""
    if isinstance(value, dict):
        return {key: names.get(one) if key in IDS else without_ids(one, names) for key, one in value.items()}
    return [without_ids(one, names) for one in value] if isinstance(value, list) else value


def counted(results, names):
    return Counter(json.dumps(without_ids(one, names), sort_keys=True) for one in results)


@pytest.mark.sqlite
def test_a_new_installation_reproduces_the_answers_of_the_demo(installation, tmp_path):
    files = {entity: demo_part(plural, tmp_path, EVERY) for entity, plural in PLURALS.items()}
    first = installation("first", files)
    given = {entity: answers(first, entity) for entity in PLURALS}
    exported = {entity: tmp_path / f"{plural}.jsonl" for entity, plural in PLURALS.items()}
    for entity, path in exported.items():
        path.write_text("".join(json.dumps(one) + "\n" for one in given[entity]))
    second = installation("second", exported)
    again = {entity: answers(second, entity) for entity in PLURALS}
    for entity in PLURALS:
        before = counted(given[entity], named(given[Entity.COMPANY]))
        after = counted(again[entity], named(again[Entity.COMPANY]))
        assert list((before - after).elements())[:3] == []
        assert before == after
