"""Data that an import loads before it locks the database's writer."""

import json

from firmograph.directory.normalise import domains
from firmograph.ingest import service
from firmograph.ingest.preparation_process import ImportTask, prepare_files
from firmograph.kit.clock import SystemClock
from firmograph.security.record_ids import Entity


def test_the_public_suffix_list_is_loaded_before_the_first_commit(database, keyring, tmp_path, monkeypatch):
    path = tmp_path / "people.jsonl"
    path.write_text(json.dumps({"lastName": "Doe", "emails": ["jane@acme.example.com"]}))
    job = ImportTask(entity=Entity.CONTACT, paths=[str(path)], source="crm", keyring=keyring)
    prepared = list(prepare_files(job))
    domains._registrable.cache_clear()
    domains._extractor.cache_clear()
    loaded = []
    commit = service.Importer._commit

    def watched(*given):
        loaded.append(domains._extractor.cache_info().currsize)
        return commit(*given)

    monkeypatch.setattr(service.Importer, "_commit", watched)
    monkeypatch.setattr(service, "prepare_files", lambda task: (rows for rows in prepared))
    service.import_files(database, job, SystemClock(), lambda *_: None, lambda _: None)
    assert loaded == [1]
