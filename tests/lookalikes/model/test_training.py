"""Training from a database: the model in force, its growth with the records, and what ends without one."""

import asyncio
import hashlib
import os
import signal
from random import Random

import pytest
import sqlalchemy as sa
from made_up_records import made_up_companies, made_up_contacts

import database_fixtures
from command_fixtures import InProcess
from firmograph.database.connection import Database
from firmograph.jobs.role import ROLE_SECONDS
from firmograph.lookalikes.model import retraining, store, training
from firmograph.lookalikes.model.retraining import Retraining
from firmograph.lookalikes.model.similarity_model import SimilarityModel
from firmograph.lookalikes.model.training import (
    ensure_model,
    is_training_due,
    learn_next,
    newest_model,
    put_in_force,
)
from firmograph.lookalikes.tables import similarity_models
from installation_factory import make_suppression
from record_factory import KEYRING, contact, load_companies, load_contacts

COMPANIES = made_up_companies(60)
CONTACTS = made_up_contacts(COMPANIES, 60)

ENSURE = """
import hashlib, sys
from firmograph.kit.logs import set_up_logs
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock
from firmograph.lookalikes.model.training import ensure_model

set_up_logs("warning")
model = ensure_model(Database(sys.argv[1]), SystemClock())
print(model.number, hashlib.sha256(model.to_bytes()).hexdigest())
"""

KILLED = """
import os, signal, sys
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.lookalikes.model import retraining
from firmograph.lookalikes.model.retraining import Retraining

retraining.run_in_process = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
Retraining(Database(sys.argv[1]), SetClock()).learn_if_due()
"""


def killed_work(report, url):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def other(tmp_path):
    """Return another empty database."""
    (tmp_path / "other").mkdir()
    database = Database(database_fixtures.fresh(tmp_path / "other"))
    yield database
    database.close()
    database_fixtures.drop(database.url)


def load(database, companies=COMPANIES, contacts=CONTACTS):
    load_companies(database, "crm", companies)
    load_contacts(database, "crm", contacts)


def models(database):
    return [row[0] for row in database.session().all(sa.select(similarity_models.c.number))]


def digest(model):
    return hashlib.sha256(model.to_bytes()).hexdigest()


def test_another_order_of_the_same_imports_gives_the_same_model(database, other, clock):
    load(database)
    random = Random(1)
    load_contacts(other, "crm", random.sample(CONTACTS, len(CONTACTS)))
    load_companies(other, "crm", random.sample(COMPANIES, len(COMPANIES)))
    model = ensure_model(database, clock)
    assert len(model.companies.attributes) > 20
    assert len(model.contacts.attributes) > 5
    assert ensure_model(other, clock).to_bytes() == model.to_bytes()


def test_another_order_of_the_same_imports_gives_the_same_sample(database, other):
    load(database)
    load(other, COMPANIES[::-1], CONTACTS[::-1])
    small = [learn_next(each, sample_size=25).content for each in (database, other)]
    assert small[0] == small[1]
    assert small[0] != learn_next(database).content


def test_processes_that_learn_at_once_end_with_one_model(database, start_program):
    load(database)
    started = [start_program(ENSURE, database.url) for _ in range(2)]
    results = {process.communicate(timeout=120)[0] for process in started}
    assert results == {f"1 {digest(newest_model(database))}\n"}
    assert models(database) == [1]


def test_the_model_that_is_stored_first_stays(database, clock):
    first = learn_next(database)
    load(database)
    second = learn_next(database)
    assert (first.number, second.number) == (1, 1)
    assert put_in_force(database, clock, first)
    assert not put_in_force(database, clock, second)
    assert ensure_model(database, clock).to_bytes() == first.content


def test_a_model_is_learnt_without_any_records(database, clock):
    assert newest_model(database) is None
    assert ensure_model(database, clock).companies.attributes == ()
    assert ensure_model(database, clock).number == 1


def test_the_two_newest_models_are_kept(database, clock):
    for _ in range(4):
        put_in_force(database, clock, learn_next(database))
    assert models(database) == [3, 4]
    assert store.newest_number(database.session()) == 4


def test_a_model_is_due_when_the_records_of_a_kind_have_doubled(database, clock):
    session = database.session()
    assert not is_training_due(session)
    ensure_model(database, clock)
    load_companies(database, "crm", COMPANIES[:4])
    assert not is_training_due(session)
    load_companies(database, "crm", COMPANIES[4:10])
    assert is_training_due(session)
    put_in_force(database, clock, learn_next(database))
    load_companies(database, "crm", COMPANIES[10:19])
    assert not is_training_due(session)
    load_companies(database, "crm", COMPANIES[19:20])
    assert is_training_due(session)


def test_doubled_records_are_learnt_in_another_process(database, clock, monkeypatch):
    # a call in this process would learn nothing
    monkeypatch.setattr(training, "learn", None)
    worker = Retraining(database, clock)
    put_in_force(database, clock, training.LearntModel(1, 0, 0, b""))
    assert asyncio.run(worker.run_until_idle()) == 0
    load(database)
    assert asyncio.run(worker.run_until_idle()) == 1
    monkeypatch.undo()
    expected = SimilarityModel.from_bytes(learn_next(database).content)
    assert newest_model(database).to_bytes() == expected.with_number(2).to_bytes()
    assert asyncio.run(worker.run_until_idle()) == 0


def test_a_process_that_dies_while_it_learns_leaves_the_model_in_force(database, clock, monkeypatch):
    ensure_model(database, clock)
    load(database)
    worker = Retraining(database, clock)
    monkeypatch.setattr(retraining, "learn_in_process", killed_work)
    assert worker.learn_if_due() == 0
    assert models(database) == [1]


def test_another_worker_learns_when_one_is_killed(database, clock, start_program):
    ensure_model(database, clock)
    load(database)
    killed = start_program(KILLED, database.url)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert models(database) == [1]
    clock.advance(ROLE_SECONDS)
    worker = Retraining(database, clock)
    assert worker.learn_if_due() == 1
    assert models(database) == [1, 2]


def test_only_one_worker_learns_a_model(database, clock):
    ensure_model(database, clock)
    load(database)
    counts = []

    class First(Retraining):
        def _learn(self, role):
            counts.append(Retraining(database, clock).learn_if_due())
            return 0.0

    First(database, clock).learn_if_due()
    assert counts == [0]


def test_a_suppressed_person_leaves_no_trace_in_the_model(database, other, clock):
    person = contact(
        "Zaphod",
        "Beeblebrox",
        emails=["zaphod@quux.example.com"],
        linkedin="https://www.linkedin.com/in/zaphod-beeblebrox",
        title="Galactic President",
    )
    load(database, contacts=[*CONTACTS, person])
    load(other)
    suppression = make_suppression(database, KEYRING, clock)
    before = learn_next(database).content
    suppression.suppress(suppression.person(email="zaphod@quux.example.com"))
    after = learn_next(database).content
    assert after == learn_next(other).content
    for text in (b"zaphod", b"beeblebrox", b"quux", b"galactic"):
        assert text not in before.lower()


def test_the_command_puts_a_new_model_in_force(database, command, clock):
    load(database)
    ensure_model(database, clock)
    in_process = InProcess(command.folder, command.database_url)
    done = in_process("lookalike", "train", "--json")
    assert done.returncode == 0
    assert '"number":2' in done.stdout
    assert newest_model(database).number == 2


def test_the_command_runs_in_a_python_of_its_own(command):
    done = command("lookalike", "train")
    assert (done.returncode, done.stdout) == (0, "Similarity model 1 is in force (0.0 MB)\n")
