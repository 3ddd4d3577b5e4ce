"""Reading subscriptions over HTTP, and its rate limit."""

import pytest
from webhook_api import SECRET, SUBSCRIPTIONS

pytestmark = pytest.mark.any_database

# --- list and get ---


def test_pages_are_ordered_from_the_newest_to_the_oldest(api):
    created = [api.company(number)["id"] for number in range(1, 6)]
    first = api.page("?limit=2")
    assert [one["id"] for one in first["data"]] == created[:2:-1]
    assert first["pagination"] == {"total": 5, "limit": 2, "offset": 0, "hasMore": True}
    last = api.page("?limit=2&offset=4")
    assert [one["id"] for one in last["data"]] == created[:1]
    assert last["pagination"] == {"total": 5, "limit": 2, "offset": 4, "hasMore": False}
    assert api.page("?offset=5")["pagination"] == {"total": 5, "limit": 10, "offset": 5, "hasMore": False}


def test_invalid_page_parameters_are_a_400(api):
    for query in ["?limit=0", "?limit=101", "?limit=ten", "?offset=-1"]:
        assert api.call("GET", SUBSCRIPTIONS + query).status_code == 400


def test_a_subscription_is_the_same_at_creation_in_a_list_and_alone(api):
    created = api.company(1)
    assert api.call("GET", f"{SUBSCRIPTIONS}/{created['id']}").json() == created
    assert api.page()["data"] == [created]


def test_a_malformed_id_is_a_400_and_another_accounts_id_a_404_like_an_unknown_one(api):
    theirs = api.company(1, key=api.second)["id"]
    for method, body in (("GET", None), ("PATCH", {"name": "Mine"})):
        for id in ("1", "x" * 24, "0" * 23, "0" * 25, theirs + "%0A"):
            assert api.call(method, f"{SUBSCRIPTIONS}/{id}", body).status_code == 400
        answers = [api.call(method, f"{SUBSCRIPTIONS}/{id}", body) for id in (theirs, "0" * 24)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json() == answers[1].json()
    assert "name" not in api.page(key=api.second)["data"][0]


# --- limits ---


def test_all_webhook_paths_share_a_hundred_requests_a_minute(api):
    for _ in range(99):
        assert api.call("GET", SUBSCRIPTIONS).status_code == 200
    assert api.call("GET", SECRET).status_code == 200
    refused = api.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": ["x"]})
    assert refused.status_code == 429
    assert api.call("GET", SUBSCRIPTIONS, key=api.second).status_code == 200
