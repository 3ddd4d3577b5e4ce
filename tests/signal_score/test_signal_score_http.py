from datetime import timedelta

import pytest
from score_calls import COMPANIES, CONTACTS, record_news, results

from firmograph.database.connection import RECORDS
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.kit.clock import today
from firmograph.kit.errors import Unavailable
from firmograph.security.record_ids import Entity
from firmograph.signals import store
from firmograph.signals.events import Detected, HiringSurge, JobMove
from record_factory import KEYRING

ACME, PAST = 1, 3

MOVE = JobMove(2, "Acme", "acme.example", "CTO", "", "C-Suite", 3, "Rival", "rival.example", "VP")
SURGE = HiringSurge(10, 2, 400)


def put_signals(database, *given):
    """Insert signals given as (entity, number, type, day)."""
    found = [
        Detected(entity, number, type, f"{type} {day}", day, MOVE if entity is Entity.CONTACT else SURGE)
        for entity, number, type, day in given
    ]
    with database.write(RECORDS) as session:
        return store.store_signals(session, Digests(KEYRING), found, 0.0)


@pytest.fixture(scope="module")
def stored(stored):
    """Return the application of the module after an import of news."""
    record_news(stored.database)
    return stored


def days_ago(service, days):
    return (today(service.clock) - timedelta(days=days)).isoformat()


def used(service):
    return service.get("/v3/account/usage").json()["credits"]["used"]


def test_a_company_is_scored_by_the_share_of_its_active_types(directory):
    put_signals(directory.database, (Entity.COMPANY, ACME, "riskNews", days_ago(directory, 180)))
    answer = directory.post(
        COMPANIES, {"companies": [{"clientReferenceId": "x", "domain": "www.acme.example"}]}
    )
    (result,) = results(answer)
    assert result.pop("id").startswith("v1.")
    assert result == {
        "clientReferenceId": "x",
        "name": "Acme Inc",
        "domain": "acme.example",
        "signalScore": 1 / 7,
        "signalTypes": ["riskNews"],
        "noActiveSignals": False,
    }
    assert answer.json()["billing"] == {"creditsCharged": 1, "resultsReturned": 1}
    assert answer.json()["requestId"] == answer.headers["x-request-id"]


def test_activity_older_than_180_days_does_not_count(directory):
    put_signals(directory.database, (Entity.COMPANY, PAST, "riskNews", days_ago(directory, 181)))
    (result,) = results(directory.post(COMPANIES, {"companies": [{"name": "Past"}]}))
    assert (result["signalScore"], result["signalTypes"], result["noActiveSignals"]) == (0, [], True)


def test_an_identifier_of_no_company_is_echoed_with_its_error(directory):
    items = [{"id": "v1.x"}, {"domain": "nowhere.example"}, {"name": "Nowhere", "clientReferenceId": "r"}]
    assert results(directory.post(COMPANIES, {"companies": items})) == [
        {**item, "error": {"code": "NOT_FOUND", "message": "Company not found"}} for item in items
    ]


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"clientReferenceId": "x"},
        {"id": "1", "domain": "a.example"},
        {"name": "A", "email": "a@b.example"},
    ],
)
def test_a_company_with_no_or_two_identifiers_is_refused_with_its_path(directory, item):
    answer = directory.post(COMPANIES, {"companies": [{"name": "Acme Inc"}, item]})
    assert answer.status_code == 400
    assert answer.json()["message"] == "companies.1 must have exactly one of id, domain, name, email"


@pytest.mark.parametrize("email", ["acme", "@acme.example", "jane@", "jane doe@acme.example"])
def test_a_malformed_email_of_a_company_is_refused(directory, email):
    answer = directory.post(COMPANIES, {"companies": [{"email": email}]})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("companies.0.email must be")


def test_only_the_domain_of_an_email_counts(directory):
    (result,) = results(directory.post(COMPANIES, {"companies": [{"email": "Nobody.There@Acme.example"}]}))
    assert result["name"] == "Acme Inc"


@pytest.mark.parametrize("path", [COMPANIES, CONTACTS])
@pytest.mark.parametrize("items", [[], [{"id": "1"}] * 101])
def test_a_batch_has_1_to_100_items(directory, path, items):
    assert directory.post(path, {path.split("/")[2]: items}).status_code == 400


def test_a_contact_is_scored_with_its_employer(directory):
    put_signals(directory.database, (Entity.CONTACT, 1, "promotion", days_ago(directory, 3)))
    answer = directory.post(
        CONTACTS, {"contacts": [{"clientReferenceId": "x", "email": "jane@acme.example"}]}
    )
    (result,) = results(answer)
    assert result.pop("id").startswith("v1.")
    assert result["company"].pop("id").startswith("v1.")
    assert result == {
        "clientReferenceId": "x",
        "fullName": "Jane Doe",
        "company": {"name": "Acme Inc", "domain": "acme.example"},
        "signalScore": 0.5,
        "signalTypes": ["promotion"],
        "noActiveSignals": False,
    }


def test_a_contact_without_a_job_has_no_score_and_an_unknown_one_is_not_found(directory):
    items = [
        {"email": "joe@example.org"},
        {"email": "nobody@example.org"},
        {"firstName": "Jane", "lastName": "Doe", "companyDomain": "acme.example"},
    ]
    answer = directory.post(CONTACTS, {"contacts": items})
    codes = [result.get("error", {}).get("code") for result in results(answer)]
    assert codes == ["NO_SCORE", "NOT_FOUND", None]
    assert answer.json()["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


def test_a_record_named_twice_is_charged_once_and_again_by_the_next_call(directory):
    body = {"companies": [{"domain": "acme.example"}, {"name": "Acme Inc"}]}
    for credits in (1, 2):
        billing = directory.post(COMPANIES, body).json()["billing"]
        assert billing == {"creditsCharged": 1, "resultsReturned": 2}
        assert used(directory) == credits


def test_with_too_few_credits_nothing_is_scored_or_charged(directory):
    poor = directory.with_account(credits=1)
    answer = poor.post(COMPANIES, {"companies": [{"name": "Acme Inc"}, {"name": "Quiet"}]})
    assert answer.status_code == 402
    assert used(poor) == 0


def test_the_same_idempotency_key_is_answered_again_for_free(directory):
    body = {"companies": [{"name": "Acme Inc"}]}
    first = directory.post(COMPANIES, body, **{"idempotency-key": "k"})
    again = directory.post(COMPANIES, body, **{"idempotency-key": "k"})
    assert again.json() == first.json()
    assert used(directory) == 1


def test_a_repeated_call_is_answered_as_before_with_its_unknown_company(directory):
    body = {"companies": [{"name": "Acme Inc"}, {"name": "Nobody"}]}
    first = directory.post(COMPANIES, body, **{"idempotency-key": "k"}).json()
    assert directory.post(COMPANIES, body, **{"idempotency-key": "k"}).json() == first


def test_while_lookups_fail_contacts_get_a_502_that_may_be_repeated(directory, monkeypatch):
    def down(*given):
        raise Unavailable

    monkeypatch.setattr(RecordLookup, "contacts", down)
    answer = directory.post(CONTACTS, {"contacts": [{"email": "jane@acme.example"}]})
    assert answer.status_code == 502
    assert int(answer.headers["retry-after"]) >= 1
    assert used(directory) == 0


def test_a_plan_without_signals_is_refused_by_name(make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nsignals = false\n")
    closed = make_service(plans_file=str(plans))
    for path in (COMPANIES, CONTACTS):
        answer = closed.post(path, {path.split("/")[2]: []})
        assert answer.status_code == 403
        assert answer.json()["errors"] == ["signals"]
