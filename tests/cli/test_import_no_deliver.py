"""`firmograph import --no-deliver`: signals are detected without deliveries."""

import pytest
import sqlalchemy as sa

from firmograph.signals.tables import signals
from import_fixtures import KINDS, Prepared, prepare

_quiet = sa.select(signals.c.quiet)


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    yield from prepare(tmp_path, monkeypatch)


def quiet(prepared: Prepared) -> list[int]:
    with prepared.database.read() as session:
        return [row[0] for row in session.all(_quiet)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_import_can_skip_deliveries(prepared, kind):
    assert prepared.run(kind, prepared.files[kind], "--no-deliver").exit_code == 0
    found = quiet(prepared)
    assert set(found) == ({1} if kind != "companies" else set())
    # a signal without deliveries causes none later
    assert prepared.run(kind, prepared.files[kind]).exit_code == 0
    assert quiet(prepared) == found


def test_an_import_causes_deliveries_by_default(prepared):
    for kind in KINDS:
        prepared.run(kind, prepared.files[kind])
    assert set(quiet(prepared)) == {0}
