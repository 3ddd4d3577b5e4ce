"""`partnerClientId`: the partner that contacts are revealed for, as recorded for opt-outs.

See docs/reference/webhooks.md#opt-outs.
"""

import pytest
import sqlalchemy as sa

from firmograph.billing.tables import partner_reveals

ENRICH = "/v3/contacts/enrich"
BOTH = "/v3/contacts/search-and-enrich"
JANE = {"contacts": [{"email": "jane@acme.example"}]}


@pytest.fixture
def jane(people):
    return people.post("/v3/contacts/search", JANE).json()["results"][0]["id"]


def account_id(people):
    return people.accounts.find(people.account).id


def recorded_reveals(people):
    """Return partner, data point and time of the first reveal for it, of the account's one contact of the test."""
    c = partner_reveals.c
    own = sa.select(c.partner, c.unit, c.first_at).where(c.account_id == account_id(people))
    rows = people.database.session().all(own.order_by(*c))
    return [tuple(row) for row in rows]


def test_reveals_for_a_partner_are_recorded(people, jane):
    at = people.clock.seconds()
    answer = people.post(ENRICH, {"ids": [jane], "partnerClientId": "Ärmel & Söhne"})
    assert answer.json()["billing"]["creditsCharged"] == 6
    assert recorded_reveals(people) == [("Ärmel & Söhne", "emails", at), ("Ärmel & Söhne", "phones", at)]


def test_only_requested_data_points_are_recorded(people):
    people.post(BOTH, {**JANE, "reveal": ["phones"], "partnerClientId": "p"})
    assert recorded_reveals(people) == [("p", "phones", people.clock.seconds())]


def test_already_paid_data_points_are_recorded_too_and_stay_free(people, jane):
    people.post(ENRICH, {"ids": [jane]})
    people.clock.advance(60)
    for _ in range(2):
        answer = people.post(ENRICH, {"ids": [jane], "reveal": ["emails"], "partnerClientId": "p"})
        assert answer.json()["billing"]["creditsCharged"] == 0
    assert recorded_reveals(people) == [("p", "emails", people.clock.seconds())]


def test_the_first_reveal_is_not_overwritten(people, jane):
    at = people.clock.seconds()
    people.post(ENRICH, {"ids": [jane], "reveal": ["emails"], "partnerClientId": "p"})
    people.clock.advance(60)
    people.post(ENRICH, {"ids": [jane], "partnerClientId": "p"})
    people.post(ENRICH, {"ids": [jane], "reveal": ["emails"], "partnerClientId": "q"})
    assert recorded_reveals(people) == [
        ("p", "emails", at),
        ("p", "phones", at + 60),
        ("q", "emails", at + 60),
    ]


def test_nothing_is_recorded_where_nothing_was_revealed(people, jane):
    poor = people.with_account(credits=5)
    body = {"ids": [jane], "partnerClientId": "p"}
    assert poor.post(ENRICH, body).status_code == 402
    assert recorded_reveals(poor) == []
    assert people.post(BOTH, {**JANE, "reveal": [], "partnerClientId": "p"}).status_code == 200
    bob = {"contacts": [{"email": "bob@acme.example"}], "reveal": ["phones"], "partnerClientId": "p"}
    assert people.post(BOTH, bob).json()["results"][0]["phones"] == []
    assert recorded_reveals(people) == []


def test_a_replay_records_nothing(people, jane):
    body, key = {"ids": [jane], "reveal": ["emails"], "partnerClientId": "p"}, {"idempotency-key": "k"}
    first = people.post(ENRICH, body, **key)
    own = partner_reveals.c.account_id == account_id(people)
    with people.database.write(None) as session:
        session.execute(sa.delete(partner_reveals).where(own))
    assert people.post(ENRICH, body, **key).content == first.content
    assert recorded_reveals(people) == []


def test_another_partner_under_the_same_idempotency_key_is_another_request(people, jane):
    for partner, status in (("p", 200), ("q", 409)):
        body = {"ids": [jane], "partnerClientId": partner}
        assert people.post(ENRICH, body, **{"idempotency-key": "k"}).status_code == status


@pytest.mark.parametrize("partner", ["p" * 256, 5])
def test_a_partner_is_a_text_of_1_to_255_characters(people, jane, partner):
    answer = people.post(ENRICH, {"ids": [jane], "partnerClientId": partner})
    assert answer.status_code == 400
    assert "partnerClientId" in answer.json()["message"]


def test_companies_have_no_partner(people):
    body = {"companies": [{"domain": "acme.example"}], "partnerClientId": "p"}
    assert people.post("/v3/companies/search-and-enrich", body).status_code == 400
