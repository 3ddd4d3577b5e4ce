"""Preparation of files in this process and in a process of its own."""

import gc
import gzip
import multiprocessing
import threading
from pathlib import Path

import pytest

from firmograph.ingest import preparation_process
from firmograph.ingest.preparation_process import ImportTask, prepare_files
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from record_factory import KEYRING

pytestmark = pytest.mark.any_database


def job(*paths: Path, entity: Entity = Entity.CONTACT) -> ImportTask:
    return ImportTask(entity=entity, paths=[str(path) for path in paths], source="crm", keyring=KEYRING)


def people(path: Path, count: int, start: int = 0) -> Path:
    lines = b"".join(b'{"emails":["p%d@x.example.com"]}\n' % number for number in range(start, start + count))
    path.write_bytes(gzip.compress(lines) if path.suffix == ".gz" else lines)
    return path


@pytest.fixture
def own_process(monkeypatch):
    """Prepare even small files in another process."""
    monkeypatch.setattr(preparation_process, "IN_PROCESS_BYTES", -1)


def test_files_are_prepared_one_after_another_in_their_order(tmp_path):
    paths = people(tmp_path / "a.jsonl", 2500), people(tmp_path / "b.jsonl.gz", 3)
    batches = list(prepare_files(job(*paths)))
    assert [(batch.file, len(batch.rows)) for batch in batches] == [(0, 1000), (0, 1000), (0, 500), (1, 3)]
    assert [row.line for batch in batches[:3] for row in batch.rows] == list(range(1, 2501))
    assert batches[2].bytes_read == paths[0].stat().st_size


def test_another_process_prepares_the_same_rows(tmp_path, own_process):
    path = people(tmp_path / "a.jsonl", 2500)
    path.write_bytes(path.read_bytes() + b"nope\n")
    assert list(prepare_files(job(path))) == list(preparation_process._prepare_in_process(job(path)))


def test_companies_are_prepared_by_another_process_too(tmp_path, own_process):
    path = tmp_path / "a.csv"
    path.write_text("Company Name,Domain\nAcme,acme.example.com\n,\n???,\n")
    batches = list(prepare_files(job(path, entity=Entity.COMPANY)))
    assert [row.own.domain for batch in batches for row in batch.rows] == ["acme.example.com"]
    assert [reject.line for batch in batches for reject in batch.rejects] == [4]


def test_a_refusal_in_the_other_process_is_raised_here(tmp_path, own_process):
    path = tmp_path / "a.jsonl.gz"
    people(path, 5000)
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(Refused, match="damaged after line"):
        list(prepare_files(job(path)))


def test_stopping_early_leaves_no_process_and_no_thread_behind(tmp_path, own_process):
    path = people(tmp_path / "a.jsonl", 30_000)
    batches = prepare_files(job(path))
    next(batches)
    batches.close()
    gc.collect()
    assert multiprocessing.active_children() == []
    assert "prepared" not in [thread.name for thread in threading.enumerate()]


def test_an_error_in_the_last_file_is_reported_before_the_first_is_read(tmp_path):
    good = people(tmp_path / "a.jsonl", 3)
    with pytest.raises(Refused, match="does not exist"):
        prepare_files(job(good, tmp_path / "none.jsonl"))
    bad = tmp_path / "b.csv"
    bad.write_text("one,two\n1,2\n")
    with pytest.raises(Refused, match="no column names a contact"):
        prepare_files(job(good, bad))
