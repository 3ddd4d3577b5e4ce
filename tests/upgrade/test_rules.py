"""Records of the previous version under the rules that changed since."""

import pytest

from stored_records import stored_companies, stored_contacts


def people(release):
    return {one.first_name: one for one, _ in stored_contacts(release.database).values() if one.first_name}


def company(release, name):
    (found,) = (one for one in stored_companies(release.database).values() if one.name == name)
    return found


def search(release, kind, **item):
    body = {kind: [item]}
    return release.service.post(f"/v3/{kind}/search", body, key=release.keys["acme"]).json()["results"][0]


def marks(release):
    return {name: [phone.do_not_call for phone in one.phones] for name, one in people(release).items()}


def test_do_not_call_marks_that_a_row_still_has_are_restored(release):
    release.upgrade()
    found = marks(release)
    assert [found[name] for name in ("Ada", "Cleo", "Dora")] == [[True], [True], [True]]
    assert [found[name] for name in ("Emil", "Fay")] == [[False], [False]]


def test_types_and_confidence_omitted_by_a_newer_source_are_restored(release):
    release.upgrade()
    cleo = people(release)["Cleo"]
    assert (cleo.phones[0].type, cleo.emails[0].type, cleo.emails[0].confidence) == (
        "direct",
        "private",
        "95%",
    )


def test_a_mark_wiped_by_its_source_is_restored_with_the_file_that_stated_it(release):
    release.upgrade()
    assert marks(release)["Bela"] == [False]
    release.load(3)
    bela = people(release)["Bela"]
    assert [phone.do_not_call for phone in bela.phones] == [True]
    assert bela.job_title.title == "Director of Purchasing"
    assert release.load(3)["updated"] == 0


def test_earlier_imported_files_are_still_recognised(release):
    release.upgrade()
    before = people(release)
    release.load(3)
    release.load(4)
    release.load(5)
    after = people(release)
    assert after.keys() == before.keys()
    titles = {name: one.job_title and one.job_title.title for name, one in after.items()}
    assert titles == {name: one.job_title and one.job_title.title for name, one in before.items()}


def test_a_record_with_only_an_id_stays_and_a_new_row_like_it_is_rejected(release):
    release.upgrade()
    assert release.load(3)["rejected"] == 2


THEN = """
import datetime
from firmograph.cli.main import run

class Then(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(1_790_000_000, tz)

datetime.datetime = Then
run()
"""
"""The command line on the day on which the fixture was made."""


@pytest.fixture
def upgraded_then(release):
    release.run(THEN, "account", "list")
    return release


def test_signals_of_a_future_day_are_held_back_until_then(upgraded_then):
    service, key = upgraded_then.service, upgraded_then.keys["acme"]
    call = next(one for one in upgraded_then.calls if one["path"] == "/v3/companies/signals")
    company = service.post(call["path"], call["body"], key=key).json()["results"][0]
    assert "headcountIncrease1m" in call["answer"]["results"][0]
    assert "headcountIncrease1m" not in company
    assert "headcountIncrease3m" in company
    service.clock.advance(86_400)
    assert "headcountIncrease1m" in service.post(call["path"], call["body"], key=key).json()["results"][0]


def test_a_post_of_a_stored_company_has_its_id(release):
    release.upgrade()
    page = search(release, "companies", domain="larch.example.com")
    body = {"ids": [page["id"]], "signalTypes": ["linkedinActivityIntent"]}
    answer = release.service.post("/v3/companies/signals", body, key=release.keys["acme"]).json()
    (post,) = answer["results"][0]["linkedinActivityIntent"]
    assert post["author"]["id"] is not None, post


def test_roles_of_owners_and_merged_funding_rounds_are_restored_with_their_file(release):
    release.upgrade()
    assert len(company(release, "Hazel Robotics").funding.rounds) == 1
    release.load(1)
    assert len(company(release, "Hazel Robotics").funding.rounds) == 2
    body = {"companies": [{"domain": "alder.example.com"}, {"domain": "dogwood.example.com"}]}
    body["reveal"] = ["directParent", "ultimateParent"]
    path, key = "/v3/companies/search-and-enrich", release.keys["acme"]
    answer = release.service.post(path, body, key=key).json()
    owners = [(one["directParent"]["name"], one["ultimateParent"]["name"]) for one in answer["results"]]
    assert owners == [("Birch Group", "Cedar Holding"), ("Elm Group", "Cedar Holding")]
    assert answer["billing"]["creditsCharged"] == 0
