"""Lower bounds of the measured quality; see `evaluation/roles/README.md`."""

import pytest
from evaluation.roles.draw_titles import split_of
from evaluation.roles.measure import f1, find_roles, parts_of, read_rows

from firmograph.buying_groups.roles.table import load_role_table
from firmograph.directory.titles.derivation import derive_departments, derive_seniority

pytestmark = pytest.mark.no_database


@pytest.fixture(scope="module")
def rows():
    return read_rows()


@pytest.fixture(scope="module")
def titles(rows):
    """Return the titles with their labelled roles and those that the packaged table finds."""
    return parts_of(find_roles(load_role_table(), rows), ["tune"])["tune half"]


def test_the_labelled_titles_are_as_an_import_derives_them(rows):
    for row in rows:
        assert row["seniority"] == derive_seniority(row["title"])
        assert row["departments"] == "; ".join(derive_departments(row["title"]))
        assert row["split"] == split_of(row["title"])


@pytest.mark.parametrize(
    ("role", "least"), [("decision_maker", 0.97), ("potential_champion", 0.92), ("end_user", 0.9)]
)
def test_the_packaged_table_keeps_its_quality_on_the_titles_it_was_tuned_on(titles, role, least):
    assert f1(titles, role) >= least
