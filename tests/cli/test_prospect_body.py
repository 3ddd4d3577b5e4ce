"""`firmograph prospect --filters`: a body of the API, alone and with options."""

import json

import pytest
from prospect_command import misused, names, refusal

pytestmark = pytest.mark.any_database


def body(**criteria: object) -> dict[str, object]:
    return {"filters": {"contacts": {"include": criteria}}}


def test_a_body_is_equivalent_to_options(run, tmp_path):
    file = tmp_path / "body.json"
    file.write_text(json.dumps(body(jobTitles=["engineer"])))
    assert names(run("contacts", "--filters", file, "--json")) == {"Bea", "Cy"}
    assert names(run("contacts", "--filters", "-", "--json", given=file.read_text())) == {"Bea", "Cy"}


def test_options_narrow_a_body(run):
    given = json.dumps(body(jobTitles=["engineer"]) | {"options": {"includePartialProfiles": False}})
    assert (
        names(run("contacts", "--filters", "-", "--domain", "birch.example.com", "--json", given=given))
        == set()
    )
    words = ("--domain", "birch.example.com", "--partial")
    assert names(run("contacts", "--filters", "-", *words, "--json", given=given)) == {"Cy"}


def test_an_option_may_not_repeat_a_filter_of_the_body(run):
    done = run("contacts", "--filters", "-", "--title", "x", given=json.dumps(body(jobTitles=["engineer"])))
    assert "--title: filters.contacts.include.jobTitles is also in the file" in misused(done)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "The body is not valid JSON"),
        (
            '{"filters": {"contacts": {"include": {"jobTitle": ["x"]}}}}',
            "filters.contacts.include.property jobTitle",
        ),
        ('{"filters": {"contacts": []}}', "filters.contacts must be an object"),
        (
            '{"filters": {"contacts": {"include": {"departments": ["Sails"]}}}}',
            "departments.0 must be a known value",
        ),
        ('{"pagination": {"size": 5}}', "pagination.size must be at least 10"),
        ("{}", "filters must have at least one include or exclude value"),
    ],
)
def test_a_body_is_checked_as_strictly_as_by_the_api(run, given, message):
    assert message in refusal(run("contacts", "--filters", "-", given=given))


def test_options_do_not_hide_errors_of_a_body(run):
    given = '{"filters": {"contacts": {"include": []}}}'
    done = run("contacts", "--filters", "-", "--title", "x", given=given)
    assert refusal(done) == "filters.contacts.include must be an object"


def test_the_pagination_of_a_body_sets_the_start(run):
    given = json.dumps(body(locations=[{"continent": "Europe"}]) | {"pagination": {"page": 1, "size": 10}})
    assert json.loads(run("contacts", "--filters", "-", "--json", given=given).stdout) == {
        "total": 2,
        "results": [],
    }
    assert names(run("contacts", "--filters", "-", "--json", "--all", given=given)) == {"Cy", "Dee"}


def test_a_missing_body_is_refused(run, tmp_path):
    assert "none.json cannot be read" in refusal(run("contacts", "--filters", tmp_path / "none.json"))
