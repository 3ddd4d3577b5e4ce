from people_fixtures import contacts, found, load, wait

DIRECTORS = contacts({"seniorityIds": [6]})
WITHOUT = {**DIRECTORS, "options": {"excludeDnc": True}}


def without_the_feature(database, make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nexcludeDnc = false\n")
    load(database)
    service = make_service(plans_file=str(plans))
    wait(service)
    return service


def test_people_with_a_do_not_call_number_are_left_out(people):
    assert found(people, DIRECTORS) == ["Archer", "Baker"]
    assert found(people, WITHOUT) == ["Archer"]


def test_a_plan_without_the_feature_is_403_and_names_it(database, make_service, tmp_path):
    service = without_the_feature(database, make_service, tmp_path)
    for body in (WITHOUT, {**DIRECTORS, "excludeDnc": True}):
        answer = service.post("/v3/contacts/prospecting", body)
        assert answer.status_code == 403
        assert answer.json()["errors"] == ["excludeDnc"]
        assert "excludeDnc" in answer.json()["message"]


def test_a_plan_without_the_feature_accepts_the_option_set_to_false(database, make_service, tmp_path):
    service = without_the_feature(database, make_service, tmp_path)
    assert found(service, {**DIRECTORS, "options": {"excludeDnc": False}}) == ["Archer", "Baker"]
