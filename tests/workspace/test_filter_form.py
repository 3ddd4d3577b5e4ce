"""Form of a search, made from the request of the API."""

import msgspec
import pytest

from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting
from firmograph.workspace.filter_form import fill, form_of, pairs_of, read_body

pytestmark = pytest.mark.no_database

INCLUDE = "filters.contacts.include"


def paths_of(field, path=""):
    for one in field.fields:
        below = f"{path}.{one.name}" if path else one.name
        yield from paths_of(one, below) if one.fields else [below]


@pytest.mark.parametrize("body", [ContactProspecting, CompanyProspecting])
def test_every_property_of_the_request_has_a_field(body):
    def properties(schema, known):
        schema = known.get(schema.get("$ref", "").rpartition("/")[2], schema)
        for name, value in schema.get("properties", {}).items():
            inner = value.get("items", value)
            if isinstance(inner, dict) and "$ref" in inner:
                yield from (f"{name}.{one}" for one in properties(inner, known))
            elif "_" not in name:
                yield name

    schemas, known = msgspec.json.schema_components([body])
    assert set(properties(schemas[0], known)) <= set(paths_of(form_of(body)))


def test_lines_numbers_and_entries_become_a_body_and_come_back_as_its_query():
    typed = {
        f"{INCLUDE}.jobTitles": ["sales director\r\n\r\n CEO "],
        f"{INCLUDE}.seniorityIds": ["6"],
        f"{INCLUDE}.score.minScore": ["12.5"],
        f"{INCLUDE}.locations.4.city": ["Berlin"],
        f"{INCLUDE}.locations.7.city": [""],
        "options.includePartialProfiles": ["false"],
    }
    form = form_of(ContactProspecting)
    body = read_body(form, typed)
    assert body == {
        "filters": {
            "contacts": {
                "include": {
                    "jobTitles": ["sales director", "CEO"],
                    "seniorityIds": [6],
                    "locations": [{"city": "Berlin"}],
                    "score": {"minScore": 12.5},
                }
            }
        },
        "options": {"includePartialProfiles": False},
    }
    again = {}
    for name, value in pairs_of(body):
        again.setdefault(name, []).append(value)
    assert read_body(form, again) == body


def test_what_is_no_number_and_what_is_no_filter_stays_for_the_decoder_to_refuse():
    body = read_body(form_of(ContactProspecting), {f"{INCLUDE}.seniorityIds": ["six"], "bogus": ["1"]})
    assert body["bogus"] == "1"
    assert body["filters"]["contacts"]["include"]["seniorityIds"] == ["six"]


def test_a_problem_stands_at_its_field_and_the_others_are_left():
    problem = f"{INCLUDE}.locations.0.city must have at most 256 characters"
    form, left = fill(form_of(ContactProspecting), {}, [problem, "property bogus should not exist"])
    city = form.find("filters").find("contacts").find("include").find("locations").fields[0].find("city")
    assert city.problems == [problem]
    assert left == ["property bogus should not exist"]
