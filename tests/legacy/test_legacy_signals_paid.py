"""The charges of the legacy endpoints of signals."""

import pytest
from legacy_fixtures import CONTACTS, JANE, MOVE, TOKENS, answer_of, legacy, put, signal

from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.any_database


def test_signals_paid_through_one_generation_are_free_in_the_other(directory):
    token, id = TOKENS.seal(Entity.CONTACT, JANE), legacy(Entity.CONTACT, JANE)

    def current(*types):
        body = {"ids": [token], "signalTypes": types}
        return answer_of(directory, "/v3/contacts/signals", body)["billing"]["creditsCharged"]

    def old(*types):
        return answer_of(directory, CONTACTS, {"contactIds": [id], "signals": types})["creditCharged"]

    assert (old("promotion"), current("allSignals"), old("allSignals")) == (1, 1, 0)


def test_a_record_under_two_forms_of_its_id_is_charged_once(directory):
    ids = [legacy(Entity.CONTACT, JANE), TOKENS.seal(Entity.CONTACT, JANE)]
    answer = answer_of(directory, CONTACTS, {"contactIds": ids, "signals": ["promotion"]})
    assert (answer["creditCharged"], answer["contacts"].keys()) == (1, set(map(str, ids)))


def test_with_too_few_credits_nothing_is_shown_or_charged(directory):
    poor = directory.with_account(credits=1)
    body = {"contactIds": [legacy(Entity.CONTACT, JANE)], "signals": ["allSignals"]}
    answer = poor.post(CONTACTS, body)
    assert answer.status_code == 402
    assert answer.json().keys() == {"statusCode", "message"}
    assert poor.get("/v3/account/usage").json()["credits"]["used"] == 0


def test_the_same_idempotency_key_is_answered_again_for_free(directory):
    body = {"contacts": [{"id": "a", "email": "jane@acme.example"}, {"id": "b", "email": "x@y.example"}]}
    body |= {"signals": ["companyChange"]}
    first = answer_of(directory, CONTACTS + "/search", body, **{"idempotency-key": "k"})
    put(directory, signal(JANE, "companyChange", "2026-05-01", MOVE))
    again = answer_of(directory, CONTACTS + "/search", body, **{"idempotency-key": "k"})
    assert first == again
    assert directory.get("/v3/account/usage").json()["credits"]["used"] == 1
