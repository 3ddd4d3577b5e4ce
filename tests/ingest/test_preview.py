"""Previews of the exports of other programs."""

import tomllib
from pathlib import Path

import pytest

from firmograph.ingest import preview_columns
from firmograph.ingest.mapping_file import write_mapping
from firmograph.ingest.preview import preview_file
from firmograph.ingest.reading.mapping import NO_MAPPING, ColumnMapping, build_table_layout, load_mapping
from firmograph.ingest.reading.readers import AUTODETECT, open_rows
from firmograph.ingest.reading.record_kind import detect_other_kind
from firmograph.ingest.records.preparation import Preparer
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS

pytestmark = pytest.mark.no_database

EXPORTS = sorted((Path(__file__).parent / "exports").glob("*.csv"))
KINDS = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}
OTHERS = {Entity.CONTACT: Entity.COMPANY, Entity.COMPANY: Entity.CONTACT}
each = pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)


def kind_of(path: Path) -> str:
    return tomllib.loads(path.with_suffix(".toml").read_text("utf-8"))["kind"]


def prepared(path: Path, entity: Entity, mapping: ColumnMapping) -> tuple[object, ...]:
    with open_rows(path) as rows:
        assert rows.columns is not None
        preparer = Preparer(
            entity, DIGESTS, "export", build_table_layout(rows.columns, mapping, entity, path)
        )
        made = (preparer.prepare_contacts if entity is Entity.CONTACT else preparer.prepare_companies)(rows)
        return *made, preparer.take_counts().unread


@each
def test_an_unedited_mapping_of_an_export_changes_nothing(path, tmp_path, monkeypatch):
    # the shown values are no part of a mapping, and finding three in each column takes most of the time
    monkeypatch.setattr(preview_columns, "_TRIED_ROWS", 1)
    entity, mapping = KINDS[kind_of(path)], tmp_path / "mapping.toml"
    write_mapping(preview_file(entity, path, NO_MAPPING, AUTODETECT), mapping)
    assert prepared(path, entity, load_mapping(mapping, entity)) == prepared(path, entity, NO_MAPPING)


@each
def test_an_export_is_recognised_as_its_own_kind(path):
    kind = KINDS[kind_of(path)]
    with open_rows(path) as rows:
        assert rows.columns is not None
        assert detect_other_kind(rows.columns, kind) is None
        assert detect_other_kind(rows.columns, OTHERS[kind]) is kind
