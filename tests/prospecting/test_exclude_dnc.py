import pytest
from people_fixtures import contacts, found, served

pytestmark = pytest.mark.any_database

DIRECTORS = contacts({"seniorityIds": [6]})
WITHOUT = {**DIRECTORS, "options": {"excludeDnc": True}}


@pytest.fixture(scope="module")
def without_the_feature(tmp_path_factory):
    """Return the service with a plan file that leaves the feature out."""
    folder = tmp_path_factory.mktemp("without")
    plans = folder / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nexcludeDnc = false\n")
    with served(folder, plans_file=str(plans)) as service:
        yield service


def test_people_with_a_do_not_call_number_are_left_out(unchanged):
    assert found(unchanged, DIRECTORS) == ["Archer", "Baker"]
    assert found(unchanged, WITHOUT) == ["Archer"]


def test_a_plan_without_the_feature_is_403_and_names_it(without_the_feature):
    for body in (WITHOUT, {**DIRECTORS, "excludeDnc": True}):
        answer = without_the_feature.post("/v3/contacts/prospecting", body)
        assert answer.status_code == 403
        assert answer.json()["errors"] == ["excludeDnc"]
        assert "excludeDnc" in answer.json()["message"]


def test_a_plan_without_the_feature_accepts_the_option_set_to_false(without_the_feature):
    assert found(without_the_feature, {**DIRECTORS, "options": {"excludeDnc": False}}) == ["Archer", "Baker"]
