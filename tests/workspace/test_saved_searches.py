"""Saved searches on the pages: private or shared, and what becomes of them."""

import re

import pytest
from page_visitors import text_of
from search_fixtures import DIRECTORS, TITLES, load_people


@pytest.fixture(scope="module")
def shared_service(shared_service):
    load_people(shared_service)
    return shared_service


@pytest.fixture
def one(user):
    return user("member")


def save(one, name="Directors", **fields):
    return one.post("/search/contacts/save", {TITLES: "director", "saved_name": name, **fields})


def number_of(one) -> str:
    return re.search(r"/saved/(\d+)/delete", one.get("/search/contacts").text)[1]


def test_a_saved_search_is_listed_and_opens_by_its_address(one):
    assert save(one).headers["location"] == f"/workspace{DIRECTORS}"
    path = re.search(r'href="/workspace([^"]+)">Directors</a>', one.get("/search/contacts").text)[1]
    assert "Ann Archer" in one.get(path).text
    assert "Directors" not in text_of(one.get("/search/companies"))


def test_a_private_search_is_the_users_alone_and_a_shared_one_the_accounts(one, user):
    save(one, "Mine")
    save(one, "Ours", shared="yes")
    colleague = text_of(
        user("member", email="colleague@example.com", service=one.service).get("/search/contacts")
    )
    assert "Ours" in colleague
    assert "Mine" not in colleague
    stranger = user("member", email="stranger@example.com", service=one.service.with_account())
    assert "Ours" not in text_of(stranger.get("/search/contacts"))


def test_a_search_is_deleted_by_its_owner_alone(one, user):
    save(one, "Ours", shared="yes")
    number = number_of(one)
    colleague = user("member", email="second@example.com", service=one.service)
    assert colleague.post(f"/search/contacts/saved/{number}/delete").status_code == 404
    one.post(f"/search/contacts/saved/{number}/delete")
    assert "Ours" not in text_of(one.get("/search/contacts"))


def test_a_search_without_a_name_or_a_filter_is_not_saved(one):
    assert save(one, " ").status_code == 400
    assert one.post("/search/contacts/save", {"saved_name": "Nothing"}).status_code == 400
    assert "Saved searches" not in one.get("/search/contacts").text


def test_searches_of_a_removed_user_go_to_the_admin_who_removes_them(one, user):
    save(one, "Left behind")
    admin = user("admin", email="keeper@example.com", service=one.service)
    email = one.service.accounts.users(one.service.account)[0].email
    admin.post("/users/remove", {"email": email})
    assert "Left behind" in text_of(admin.get("/search/contacts"))
