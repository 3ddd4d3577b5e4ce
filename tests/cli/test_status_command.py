"""`firmograph status`: what a database holds and whether work is done."""

import json
import re

from typer.testing import CliRunner

from firmograph.cli import index, main, status
from firmograph.database.connection import Database
from firmograph.directory import survey
from firmograph.directory.survey import survey_records
from firmograph.jobs.scheduler import LATE_SECONDS, JobWorker, PeriodicJob, work_state
from firmograph.kit import logs
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity


def answer(stocked, app, *words):
    done = CliRunner().invoke(app, list(words), env=stocked.environment)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_records_sources_fields_imports_and_the_place_are_shown(own):
    found = json.loads(answer(own, status.app, "--json"))
    people, companies = found["contacts"], found["companies"]
    assert (people["records"], people["estimated"], people["bySource"]) == (4, False, {"default": 4})
    assert people["filled"]["emails"] == 0.5
    assert people["filled"]["company"] == 1.0
    assert (companies["records"], companies["filled"]["domain"], companies["filled"]["revenueRange"]) == (
        2,
        1.0,
        0.5,
    )
    assert [each["kind"] for each in found["imports"]] == ["contacts", "companies"]
    assert found["database"]["bytes"] > 10_000
    assert found["worker"] == {"state": "never", "lastAt": None}


def test_the_same_is_shown_as_text(own):
    text = answer(own, status.app)
    assert re.search(r"^Contacts\t4$", text, re.MULTILINE)
    assert re.search(r"^  by source\tdefault 4$", text, re.MULTILINE)
    assert re.search(r"^  filled\tjob title 100%, company 100%, ", text, re.MULTILINE)
    assert re.search(r"^Import 2\tcontacts of default from contacts.jsonl, done, \d{4}-", text, re.MULTILINE)
    assert "Worker\thas not run yet; " in text


def test_an_index_is_shown_with_the_changes_that_it_lacks(own, monkeypatch):
    # logging is configured for a whole process, and this one continues
    monkeypatch.setattr(logs, "set_up_logs", lambda level: None)
    assert json.loads(answer(own, status.app, "--json"))["indexes"] == []
    answer(own, index.app)
    database = Database(own.url)
    with database.write(None) as session:
        session.define("INSERT INTO changes (entity, entity_id) VALUES (1, 1)")
    database.close()
    (found,) = json.loads(answer(own, status.app, "--json"))["indexes"]
    assert (found["name"], found["behind"]) == ("search", 1)
    assert "Index search\t1 change behind, " in answer(own, status.app)


def test_many_records_are_estimated_from_a_sample(own, monkeypatch):
    database = Database(own.url)
    counted = survey_records(database, Entity.CONTACT)
    monkeypatch.setattr(survey, "_RANGE", 1)
    monkeypatch.setattr(survey, "_RANGES", 2)
    monkeypatch.setattr(survey, "SAMPLED", 2)
    estimated = survey_records(database, Entity.CONTACT)
    # of Ann and Dee, the first and the last, both have a phone and one an e-mail
    assert (estimated.records, estimated.is_estimate, estimated.by_source) == (4, True, {"default": 4})
    assert (estimated.filled["phones"], estimated.filled["emails"]) == (1.0, 0.5)
    assert survey_records(database, Entity.CONTACT, exact=True) == counted
    database.close()


def test_a_worker_is_known_by_the_jobs_that_it_claims_and_leaves(database):
    clock = SetClock(1_000_000.0)

    def state():
        return work_state(database.session(), clock.seconds())

    assert state() == ("never", None)
    during = []
    job = PeriodicJob("tidy", 600.0, lambda session, now: during.append(work_state(session, now).state) or 0)
    JobWorker(database, clock, [job]).step()
    assert during == ["working"]
    assert state() == ("idle", 1_000_000.0)
    clock.advance(600.0 + LATE_SECONDS + 1)
    assert state() == ("stopped", 1_000_000.0)


def test_the_help_of_the_program_names_it():
    assert "status" in CliRunner().invoke(main.app, ["--help"]).stdout


def test_status_quality_report_and_export_count_companies_alike(in_process, tmp_path):
    (tmp_path / "companies.csv").write_text("Name,Website\nAcme,acme.example\nBirch,birch.example\n")
    (tmp_path / "people.csv").write_text("Full Name,Company\nJane Doe,Acme\nZoe Roe,Cedar\n")
    for kind in ("companies", "contacts"):
        assert (
            in_process("import", kind, str(tmp_path / f"{kind.replace('contacts', 'people')}.csv")).returncode
            == 0
        )
    held = in_process.json("status")["companies"]
    reported = in_process.json("report", "quality")["companies"]
    exported = in_process.json("export", "companies", str(tmp_path / "all.jsonl"))
    assert (held["records"], held["stubs"]) == (2, 1)
    assert (reported["all"]["records"], reported["stubs"]) == (2, 1)
    assert (exported["companies"], exported["stubs"]) == (2, 1)
    assert held["filled"]["domain"] == reported["all"]["fields"]["domain"] / 2 == 1.0
    count = ", and 1 that other records only name"
    assert f"Companies\t2{count}\n" in in_process("status").stdout
    assert f"Companies: 2{count}\n" in in_process("report", "quality").stderr
    shown = in_process("export", "companies", str(tmp_path / "all.csv")).stderr
    assert f"2 companies{count}, written to" in shown
