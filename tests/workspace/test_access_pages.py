"""Keys, users and activity on the pages."""

import re

from page_visitors import link_in, text_of

from firmograph.accounts.service import Accounts


def test_a_key_is_shown_once_and_opens_the_api(user):
    one = user("manager")
    shown = one.post("/keys", {"name": "crm", "expires": "2030-06-30", "daily_credits": "500"})
    key = re.search(r"<code>(fg_[\w-]{30,})</code>", shown.text)[1]
    assert one.service.get("/v3/account/usage", key=key).status_code == 200
    listed = one.get("/keys").text
    assert key not in listed
    assert key[:11] in listed
    assert "2030-07-01 00:00 UTC" in listed


def test_a_revoked_key_is_refused_from_the_next_call_on(user):
    one = user("manager")
    key = re.search(r"<code>(fg_[\w-]{30,})</code>", one.post("/keys", {"name": "crm"}).text)[1]
    assert one.post(f"/keys/{key[:11]}/revoke").status_code == 303
    assert one.service.get("/v3/account/usage", key=key).status_code == 401


def test_terms_of_a_key_that_do_not_fit_are_told_and_kept(user):
    one = user("manager")
    refused = one.post("/keys", {"name": "crm", "daily_credits": "many"})
    assert refused.status_code == 400
    assert "write a whole number" in text_of(refused)
    assert 'value="many"' in refused.text


def test_another_accounts_key_is_unknown(user, shared_service):
    one, other = user("manager"), user("manager", service=shared_service.with_account())
    key = re.search(r"<code>(fg_[\w-]{30,})</code>", one.post("/keys", {"name": "own"}).text)[1]
    refused = other.post(f"/keys/{key[:11]}/revoke")
    assert "no such active key" in text_of(refused)
    assert one.service.get("/v3/account/usage", key=key).status_code == 200


def test_changes_stand_in_the_activity_with_their_user_and_not_in_the_audit_of_operators(user):
    one = user("admin", "busy@example.com")
    one.post("/keys", {"name": "crm"})
    one.post("/users", {"email": "guest@example.com", "role": "member"})
    words = text_of(one.get("/activity"))
    assert "busy@example.com key create key fg_" in words
    assert "busy@example.com user invite" in words


def test_an_invitation_is_listed_and_ends_when_it_is_withdrawn(user):
    one = user("admin")
    path = link_in(one.post("/users", {"email": "late@example.com", "role": "member"}))
    assert "late@example.com" in text_of(one.get("/users"))
    one.post("/users/invitation", {"email": "late@example.com"})
    assert "late@example.com" not in text_of(one.get("/users"))
    assert one.get(path).status_code == 410


def test_the_last_admin_stays_one(user):
    one = user("admin", "last@example.com")
    refused = one.post("/users/role", {"email": "last@example.com", "role": "member"})
    assert refused.status_code == 400
    assert "is the last admin" in text_of(refused)


def test_a_removed_user_leaves_and_their_name_stays_at_what_they_did(user):
    one, other = user("admin"), user("admin", "leaving@example.com")
    other.post("/keys", {"name": "of the leaving one"})
    one.post("/users/remove", {"email": "leaving@example.com"})
    assert "leaving@example.com" not in text_of(one.get("/users"))
    assert "leaving@example.com key create" in text_of(one.get("/activity"))


def test_the_operator_makes_an_account_and_a_link_for_its_admin(make_service):
    from page_visitors import PASSWORD, Visitor

    from firmograph.logins.administration import LoginAdministration

    service = make_service()
    service.installation.get(LoginAdministration).add_operator("op@example.com", PASSWORD)
    operator = Visitor(service)
    operator.sign_in("op@example.com")
    shown = operator.post(
        "/operator/accounts", {"name": "New", "plan": "pro", "credits": "100", "email": "first@example.com"}
    )
    admin = Visitor(service)
    admin.post(link_in(shown), {"password": PASSWORD, "repeated": PASSWORD}, token="")
    assert "100" in text_of(admin.get())
    account = service.installation.get(Accounts).find("New")
    operator.post(f"/operator/accounts/{account.id}/credits", {"credits": "-40", "reason": "a mistake"})
    assert "60 0 used of 60" in text_of(admin.get())


def test_names_from_records_and_people_are_text(user):
    one = user("manager")
    one.post("/keys", {"name": "<img src=x onerror=alert(1)>"})
    assert "<img" not in one.get("/keys").text
