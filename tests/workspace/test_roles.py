"""Audiences of the pages: each is asked for as nobody, as each role, as another account's admin and as operator."""

import pytest
from page_visitors import Visitor

from firmograph.logins.administration import LoginAdministration
from firmograph.workspace.routes import ROUTES

PARAMETERS = {
    "{prefix:str}": "fg_12345678",
    "{account_id:str}": "1",
    "{kind:str}": "contacts",
    "{record:str}": "unknown",
    "{values:str}": "technologies",
    "{number:int}": "1",
    "{token:str}": "none",
}
"""A value of each parameter of a path."""
UNKNOWN = ("{token:str}",)
"""Parameters that name nothing of the visitor's."""
PAGES = [route for route in ROUTES if route.method == "GET" and not any(one in route.path for one in UNKNOWN)]
CHANGES = [route for route in ROUTES if route.method == "POST"]
ALLOWED = {
    "anybody": ("nobody", "member", "manager", "admin", "operator"),
    "login": ("member", "manager", "admin", "operator"),
    "member": ("member", "manager", "admin"),
    "manager": ("manager", "admin"),
    "admin": ("admin",),
    "operator": ("operator",),
}


def path_of(route) -> str:
    path = route.path
    for parameter, value in PARAMETERS.items():
        path = path.replace(parameter, value)
    return path


@pytest.fixture(scope="module")
def visitors(shared_service):
    """Return a visitor of each kind."""
    from firmograph.database.connection import ACCOUNTS
    from firmograph.logins.links import Links

    service = shared_service.with_account()
    account = service.accounts.find(service.account)
    links, password = service.installation.get(Links), "a long enough password"
    made = {"nobody": Visitor(service)}
    for role in ("member", "manager", "admin"):
        made[role] = Visitor(service)
        with service.database.write(ACCOUNTS) as session:
            token = links.invite(session, account.id, f"{role}@roles.example.com", role, "operator").token
        made[role].post(f"/link/{token}", {"password": password, "repeated": password}, token="")
    service.installation.get(LoginAdministration).add_operator("operator@roles.example.com", password)
    made["operator"] = Visitor(service)
    made["operator"].sign_in("operator@roles.example.com")
    return made


@pytest.mark.parametrize("kind", ["nobody", "member", "manager", "admin", "operator"])
@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.path)
def test_a_page_opens_for_its_audience_alone(visitors, route, kind):
    visitors[kind].service.clock.advance(1)
    answer = visitors[kind].get(path_of(route).rstrip("/"))
    if kind in ALLOWED[route.audience]:
        assert answer.status_code in ((404,) if "{record:str}" in route.path else (200, 303))
    elif kind == "nobody":
        assert answer.status_code == 401
    elif kind == "operator":
        # who is a user of no account chooses one first, and has none to choose
        assert answer.headers["location"] == "/workspace/accounts"
    else:
        assert answer.status_code == 403


@pytest.mark.parametrize(
    ("route", "kind"),
    [
        pytest.param(route, kind, id=f"{route.path}-{kind}")
        for route in CHANGES
        for kind in ("nobody", "member", "manager", "admin", "operator")
        if kind not in ALLOWED[route.audience]
    ],
)
def test_a_change_is_refused_to_who_is_not_of_its_audience(visitors, route, kind):
    visitors[kind].service.clock.advance(1)
    answer = visitors[kind].post(path_of(route), {"email": "x@example.com"})
    expected = {"nobody": 401, "operator": 303 if route.audience != "operator" else 403}.get(kind, 403)
    assert answer.status_code == expected


def test_a_changed_role_counts_at_the_next_request(user):
    one = user("manager", "changed@example.com")
    assert one.get("/keys").status_code == 200
    user("admin")
    one.service.accounts.set_role(one.service.account, "changed@example.com", "member")
    assert one.get("/keys").status_code == 403


def test_a_removed_user_is_refused_at_the_next_request(user):
    user("admin")
    one = user("member", "removed@example.com")
    one.service.accounts.remove_user(one.service.account, "removed@example.com")
    assert one.get().headers["location"] == "/workspace/accounts"
