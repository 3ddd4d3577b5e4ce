"""Coming in: the first run, invitations, sign-in, sessions and the protection of forms."""

import pytest
from page_visitors import PASSWORD, Visitor, link_in, text_of

from firmograph.logins.administration import LoginAdministration
from firmograph.logins.links import Links
from firmograph.logins.service import IDLE_SECONDS, LONGEST_SECONDS


def first_run(service, **fields):
    """Come in by the first-run link; return the visitor and the answer."""
    token = service.installation.get(Links).make_first_run().token
    visitor = Visitor(service)
    assert "Set up this service" in text_of(visitor.get(f"/link/{token}"))
    form = {"email": "Ada@Example.com", "password": PASSWORD, "repeated": PASSWORD, **fields}
    return visitor, visitor.post(f"/link/{token}", form, token="")


def test_the_first_run_link_makes_the_operator_alone_where_accounts_exist(service):
    visitor, done = first_run(service)
    assert (done.status_code, done.headers["location"]) == (303, "/workspace")
    assert "Acme" in text_of(visitor.get("/operator"))
    assert visitor.get().headers["location"] == "/workspace/accounts"
    assert "You are a user of no account" in text_of(visitor.get("/accounts"))


def test_no_first_run_link_is_made_once_there_is_a_login(service):
    first_run(service)
    assert service.installation.get(Links).make_first_run() is None


def test_only_the_newest_first_run_link_is_valid(service):
    links = service.installation.get(Links)
    older = links.make_first_run().token
    links.make_first_run()
    assert Visitor(service).get(f"/link/{older}").status_code == 410


def test_an_invited_person_chooses_a_password_and_is_a_user(visitor, user):
    admin = user("admin")
    shown = admin.post("/users", {"email": "grace@example.com", "role": "manager"})
    invited = Visitor(visitor.service)
    path = link_in(shown)
    assert "Join" in text_of(invited.get(path))
    assert invited.post(path, {"password": PASSWORD, "repeated": PASSWORD}, token="").status_code == 303
    assert invited.get("/keys").status_code == 200
    assert invited.get("/users").status_code == 403
    assert invited.get(path).status_code == 410


def test_a_person_with_a_login_is_offered_the_membership_and_keeps_the_password(shared_service, user):
    email = "two-accounts@example.com"
    user("member", email)
    other = Visitor(shared_service.with_account())
    admin = user("admin", service=other.service)
    path = link_in(admin.post("/users", {"email": email, "role": "member"}))
    refused = other.post(path, {"password": "another password", "repeated": "another password"}, token="")
    assert (refused.status_code, "wrong" in text_of(refused)) == (400, True)
    assert other.post(path, {"password": PASSWORD}, token="").headers["location"] == "/workspace"
    assert other.get().headers["location"] == "/workspace/accounts"
    chosen = other.service.accounts.find(other.service.account)
    other.post("/accounts", {"account": str(chosen.id)})
    assert chosen.name in text_of(other.get())


def test_a_form_that_does_not_fit_leaves_the_link_usable_and_keeps_what_was_typed(service):
    _, refused = first_run(service, repeated="another password")
    assert refused.status_code == 400
    assert "The two passwords differ" in text_of(refused)
    assert 'value="Ada@Example.com"' in refused.text


@pytest.mark.parametrize("password", ["short", "x" * 257])
def test_a_password_has_12_to_256_characters(service, password):
    _, refused = first_run(service, password=password, repeated=password)
    assert "12 to 256 characters" in text_of(refused)


def test_unknown_addresses_and_wrong_passwords_are_answered_alike(visitor, user):
    user("member", "known@example.com")
    answers = [
        visitor.sign_in(email, "not the password") for email in ("known@example.com", "nobody@example.com")
    ]
    assert [one.status_code for one in answers] == [401, 401]
    assert len({text_of(one) for one in answers}) == 1


def test_a_login_is_throttled_after_ten_failures_from_one_address(service):
    visitor = Visitor(service)
    answers = [visitor.sign_in("nobody@example.com", "not the password") for _ in range(11)]
    assert [one.status_code for one in answers] == [401] * 10 + [429]
    assert 0 < int(answers[-1].headers["retry-after"]) <= 900
    service.clock.advance(901)
    assert visitor.sign_in("nobody@example.com", "not the password").status_code == 401


def test_a_successful_sign_in_counts_as_no_failure(service):
    first_run(service)
    visitor = Visitor(service)
    for _ in range(12):
        assert visitor.sign_in("ada@example.com").status_code == 303


def test_who_is_not_signed_in_comes_back_to_the_page_after_it(visitor, user):
    email = "back@example.com"
    user("admin", email)
    asked = visitor.get("/usage?days=90")
    assert asked.status_code == 401
    assert 'value="/workspace/usage?days=90"' in asked.text
    done = visitor.sign_in(email, next="/workspace/usage?days=90")
    assert done.headers["location"] == "/workspace/usage?days=90"


@pytest.mark.parametrize(
    "path", ["https://evil.example", "//evil.example", "/workspace//evil", "/workspace\\evil", "/docs"]
)
def test_sign_in_leads_to_pages_of_the_workspace_only(visitor, user, path):
    email = "own-paths@example.com"
    if visitor.sign_in(email).status_code == 401:
        user("member", email)
    assert visitor.sign_in(email, next=path).headers["location"] == "/workspace"


def test_a_session_ends_after_twelve_idle_hours_and_after_thirty_days(service):
    visitor, _ = first_run(service)
    service.clock.advance(IDLE_SECONDS - 1)
    assert visitor.get("/login").status_code == 200
    service.clock.advance(IDLE_SECONDS + 1)
    assert visitor.get("/login").status_code == 401
    visitor.sign_in("ada@example.com")
    for _ in range(int(LONGEST_SECONDS // (IDLE_SECONDS / 2)) - 1):
        service.clock.advance(IDLE_SECONDS / 2)
        assert visitor.get("/login").status_code == 200
    service.clock.advance(IDLE_SECONDS / 2)
    assert visitor.get("/login").status_code == 401


def test_another_password_ends_the_other_sessions(visitor, user):
    email = "password@example.com"
    first = user("member", email)
    visitor.sign_in(email)
    newer = "another long password"
    changed = visitor.post("/login/password", {"current": PASSWORD, "password": newer, "repeated": newer})
    assert "The password was changed" in text_of(changed)
    assert (first.get("/login").status_code, visitor.get("/login").status_code) == (401, 200)
    assert visitor.sign_in(email).status_code == 401
    assert visitor.sign_in(email, newer).status_code == 303


def test_a_wrong_current_password_changes_nothing(user):
    one = user("member")
    refused = one.post(
        "/login/password", {"current": "not the password", "password": "x" * 12, "repeated": "x" * 12}
    )
    assert (refused.status_code, "current password is wrong" in text_of(refused)) == (400, True)


def test_signing_out_ends_the_session_and_removes_the_cookie(user):
    one = user("member")
    done = one.post("/sign-out")
    assert "Max-Age=0" in done.headers["set-cookie"]
    assert one.get("/login").status_code == 401


def test_the_cookie_is_bound_to_the_host_wherever_tls_is(visitor, user):
    email = "cookie@example.com"
    user("member", email)
    cookie = visitor.sign_in(email).headers["set-cookie"]
    assert cookie.startswith("__Host-firmograph=")
    assert {"HttpOnly", "SameSite=Lax", "Secure", "Path=/"} <= set(cookie.split("; "))


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({"sec-fetch-site": "cross-site"}, None),
        ({"sec-fetch-site": "same-site"}, None),
        ({"sec-fetch-site": "none"}, None),
        ({"sec-fetch-site": "same-origin"}, "made up"),
        ({"sec-fetch-site": "same-origin"}, ""),
    ],
)
def test_a_form_of_another_place_changes_nothing(user, headers, token):
    one = user("manager")
    refused = one.post("/keys", {"name": "foreign"}, token=token, **headers)
    assert refused.status_code == 403
    assert "foreign" not in one.get("/keys").text


def test_a_browser_without_fetch_metadata_is_believed_by_its_origin(user):
    one = user("manager")
    form = {"form_token": one.form_token(), "name": "by origin"}
    headers = {"origin": "https://evil.example"}
    assert one.client.post("/workspace/keys", data=form, headers=headers).status_code == 403
    headers = {"origin": "https://firmograph.test"}
    assert one.client.post("/workspace/keys", data=form, headers=headers).status_code == 200


def test_an_operator_who_lost_the_mark_is_refused_at_the_next_request(service):
    visitor, _ = first_run(service)
    service.installation.get(LoginAdministration).remove_operator("ada@example.com")
    assert visitor.get("/operator").status_code == 403
