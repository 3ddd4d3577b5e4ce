"""Visitors of the pages, on the application that a module shares."""

import pytest
from page_visitors import PASSWORD, Visitor

from firmograph.logins.links import Links


@pytest.fixture
def visitor(shared_service):
    return Visitor(shared_service.with_account())


@pytest.fixture
def user(visitor):
    """Return a function that signs a new user of the visitor's account in."""
    from firmograph.database.connection import ACCOUNTS

    def make(role="admin", email=None, service=None) -> Visitor:
        one = Visitor(service or visitor.service)
        account = one.service.accounts.find(one.service.account)
        email = email or f"{role}-{account.id}@example.com"
        links = one.service.installation.get(Links)
        with one.service.database.write(ACCOUNTS) as session:
            token = links.invite(session, account.id, email, role, "operator").token
        accepted = one.post(f"/link/{token}", {"password": PASSWORD, "repeated": PASSWORD}, token="")
        assert accepted.status_code == 303, accepted.text
        return one

    return make
