"""Pages over HTTP: headers, errors, the border to the API, and being switched off."""

import hashlib
from importlib.resources import files

import pytest
from page_visitors import Visitor, text_of


def test_pages_load_nothing_from_elsewhere_and_are_not_stored(user):
    answer = user("member").get()
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["x-request-id"]


def test_static_files_stand_under_names_that_change_with_their_content(user):
    import re

    one = user("member")
    path = re.search(r'href="(/workspace/static/workspace\.\w+\.css)"', one.get().text)[1]
    answer = one.client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in answer.headers["cache-control"]
    assert one.client.get("/workspace/static/workspace.css").status_code == 404


def test_files_made_by_others_are_those_of_their_checksums():
    folder = files("firmograph.workspace") / "static"
    for line in (folder / "SHA256SUMS.txt").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("path", ["/nothing", "/keys/a/b/c", "/static/../settings.py"])
def test_an_unknown_page_is_told_in_html(user, path):
    answer = user("member").get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


def test_a_wrong_method_is_told_with_the_right_ones(user):
    answer = user("member").client.put("/workspace/keys")
    assert answer.status_code == 405
    assert "GET" in answer.headers["allow"]


def test_a_session_opens_no_path_of_the_api_and_a_key_no_page(user):
    one = user("admin")
    assert one.client.get("/v3/account/usage").status_code == 401
    key_alone = Visitor(one.service).get(api_key=one.service.key)
    assert key_alone.status_code == 401


def test_the_start_page_is_that_of_the_workspace(shared_service):
    headers = {"accept": "text/html"}
    answer = shared_service.client.get("/", headers=headers, follow_redirects=False)
    assert answer.headers["location"] == "/workspace"


def test_pages_that_are_switched_off_are_paths_of_nobody(make_service):
    off = make_service(workspace=False)
    headers = {"accept": "text/html"}
    assert off.client.get("/", headers=headers, follow_redirects=False).headers["location"] == "/docs"
    unknown = off.client.get("/workspace", headers=headers)
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "application/json")


def test_plain_http_from_another_machine_is_refused(shared_service):
    answer = shared_service.client.get("http://firmograph.test/workspace/sign-in")
    assert answer.status_code == 403


def test_a_form_that_is_too_large_is_refused(user):
    one = user("manager")
    assert one.post("/keys", {"name": "x" * 70_000}).status_code == 413


def test_a_body_that_is_no_form_is_refused(user):
    one = user("manager")
    headers = {"sec-fetch-site": "same-origin", "content-type": "application/json"}
    assert one.client.post("/workspace/keys", content=b"{}", headers=headers).status_code == 400


def test_a_session_has_twenty_requests_a_second(user):
    one = user("member")
    codes = [one.get("/login").status_code for _ in range(25)]
    assert codes.count(200) <= 20
    assert 429 in codes


def test_usage_is_shown_by_day_key_and_action_and_as_csv(user):
    one = user("manager")
    assert "day,requests,errors,credits" in one.get("/usage.csv?by=day&days=30").text
    for group in ("day", "key", "action"):
        assert one.get(f"/usage?by={group}&days=90").status_code == 200


def test_pages_count_in_no_window_of_the_account(user):
    one = user("member")
    one.get()
    one.get()
    used = one.service.get("/v3/account/usage").json()["rateLimits"]["minute"]["used"]
    assert used == 1
    assert "0 used of" in text_of(one.get())
