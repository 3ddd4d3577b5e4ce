"""The table of paths, by itself."""

import pytest

from firmograph.api.paths import PathTable

pytestmark = pytest.mark.no_database

TABLE = PathTable(
    {
        path: path
        for path in (
            "/",
            "/tables",
            "/tables/list",
            "/tables/{id}",
            "/tables/{id}/columns",
            "/tables/{table_id}/columns/{column_id}",
            "/tables/{id}/columns/all/run",
            "/tables/{id}/columns/{column_id}/run",
        )
    }
)


@pytest.mark.parametrize(
    ("path", "found", "parameters"),
    [
        ("/", "/", {}),
        ("/tables", "/tables", {}),
        ("/tables/12", "/tables/{id}", {"id": "12"}),
        ("/tables/12/columns", "/tables/{id}/columns", {"id": "12"}),
        (
            "/tables/12/columns/7",
            "/tables/{table_id}/columns/{column_id}",
            {"table_id": "12", "column_id": "7"},
        ),
        ("/tables/ü %/columns", "/tables/{id}/columns", {"id": "ü %"}),
    ],
)
def test_a_path_is_found_with_the_texts_of_its_parameters(path, found, parameters):
    assert TABLE.find(path) == (found, parameters)


@pytest.mark.parametrize("path", ["/tables/12/", "tables/12", "//tables///12//"])
def test_slashes_at_the_ends_and_repeated_ones_do_not_count(path):
    assert TABLE.find(path) == ("/tables/{id}", {"id": "12"})


@pytest.mark.parametrize("path", ["", "/", "///"])
def test_no_segments_are_the_root(path):
    assert TABLE.find(path) == ("/", {})


@pytest.mark.parametrize("path", ["/Tables", "/other", "/tables/1/rows", "/tables/1/columns/2/run/3"])
def test_any_other_path_is_unknown(path):
    assert TABLE.find(path) is None


def test_a_path_without_parameters_wins_over_one_with_them():
    assert TABLE.find("/tables/list") == ("/tables/list", {})
    assert TABLE.find("/tables/list/columns") == ("/tables/{id}/columns", {"id": "list"})


def test_a_fixed_segment_wins_over_a_parameter():
    assert TABLE.find("/tables/1/columns/all/run") == ("/tables/{id}/columns/all/run", {"id": "1"})


def test_a_parameter_is_never_empty():
    assert PathTable({"/{name}": 1}).find("/") is None


def test_two_paths_that_differ_in_names_of_parameters_only_are_refused():
    with pytest.raises(ValueError, match=r"^/a/\{y\} is declared twice"):
        PathTable({"/a/{x}": 1, "/a/{y}": 2})
