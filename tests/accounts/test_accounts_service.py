import pytest

import database_fixtures
from firmograph.accounts.keys import read_expiry
from firmograph.accounts.types import KeyTerms
from firmograph.kit.clock import iso
from firmograph.kit.errors import Refused, Unauthorized


def test_an_account_starts_active_on_the_unlimited_plan_without_credits(world):
    account = world.accounts.create("Acme")
    assert (account.plan, account.active, account.granted, account.used) == ("unlimited", True, 0, 0)
    assert world.accounts.find("Acme") == account


def test_an_account_is_found_by_name_or_id(world):
    account = world.accounts.create("Acme & Sons")
    assert world.accounts.find("Acme & Sons") == world.accounts.find(str(account.id)) == account


def test_a_number_with_leading_zeros_closes_no_account(world):
    account = world.accounts.create("Acme")
    with pytest.raises(Refused, match="No account '01'"):
        world.accounts.close(f"0{account.id}")
    assert world.accounts.find("Acme").closed_at is None


def test_initial_credits_are_a_grant_in_the_ledger(world):
    account = world.accounts.create("Acme", credits=50)
    assert [(e.kind, e.credits) for e in world.entries(account.id)] == [("grant", 50)]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "1 to 200"),
        ("   ", "1 to 200"),
        ("x" * 201, "1 to 200"),
        ("a\nb", "printable"),
        ("123", "digits only"),
        ("Acme", "already"),
        (" Acme ", "already"),
    ],
)
def test_an_ambiguous_name_is_refused(world, name, reason):
    world.accounts.create("Acme")
    with pytest.raises(Refused, match=reason):
        world.accounts.create(name)
    assert [account.name for account in world.accounts.all()] == ["Acme"]


@pytest.mark.parametrize(
    "options", [{"plan": "platinum"}, {"credits": -1}, {"credits": 2**53}, {"can_reveal": "all"}]
)
def test_an_account_with_a_wrong_option_is_not_created_at_all(world, options):
    with pytest.raises(Refused):
        world.accounts.create("Acme", **options)
    assert world.accounts.all() == []


@pytest.mark.parametrize("name", ["Nobody", "99", "9" * 30, ""])
def test_an_unknown_account_is_refused_with_a_hint_where_to_look(world, name):
    with pytest.raises(Refused, match="firmograph account list"):
        world.accounts.grant(name, 1)


def test_a_key_is_shown_once_and_not_stored(world):
    world.accounts.create("Acme")
    new = world.accounts.create_key("Acme")
    assert len(new.api_key) >= 43
    assert new.api_key.startswith(new.prefix)
    content = database_fixtures.content(world.database)
    assert new.prefix.encode() in content
    assert new.api_key[len(new.prefix) :].encode() not in content


def test_keys_are_listed_oldest_first_with_the_time_of_their_end(world):
    world.accounts.create("Acme")
    first = world.accounts.create_key("Acme")
    world.clock.advance(5)
    second = world.accounts.create_key("Acme")
    world.clock.advance(5)
    world.accounts.revoke_key("Acme", first.prefix)
    now = world.clock.seconds()
    listed = [(key.prefix, key.created_at, key.revoked_at) for key in world.accounts.keys("Acme")]
    assert listed == [(first.prefix, now - 10, now), (second.prefix, now - 5, None)]


def test_a_key_is_revoked_by_its_prefix_or_whole_and_only_once(world):
    world.accounts.create("Acme")
    first, second = world.accounts.create_key("Acme"), world.accounts.create_key("Acme")
    world.accounts.revoke_key("Acme", first.prefix)
    world.accounts.revoke_key("Acme", second.api_key)
    for revoked in (first.prefix, second.api_key):
        with pytest.raises(Refused, match="no such active key"):
            world.accounts.revoke_key("Acme", revoked)


def test_the_only_key_is_revoked_without_being_named_and_one_of_two_is_not(world):
    world.accounts.create("Acme")
    first = world.accounts.create_key("Acme")
    second = world.accounts.create_key("Acme")
    with pytest.raises(Refused, match="More than one"):
        world.accounts.revoke_key("Acme")
    world.accounts.revoke_key("Acme", first.prefix)
    assert world.accounts.revoke_key("Acme").prefix == second.prefix


def test_a_key_of_another_account_cannot_be_revoked(world):
    world.accounts.create("Acme")
    world.accounts.create("Other")
    key = world.accounts.create_key("Other")
    with pytest.raises(Refused, match="no such active key"):
        world.accounts.revoke_key("Acme", key.api_key)
    assert world.gate.admit(key.api_key, None).refusal is None


def test_the_only_key_is_regenerated_without_being_named_and_one_of_two_is_not(world):
    world.accounts.create("Acme")
    with pytest.raises(Refused, match="no such active key"):
        world.accounts.regenerate_key("Acme")
    world.accounts.create_key("Acme")
    revoked, new = world.accounts.regenerate_key("Acme")
    assert [key.revoked_at is None for key in world.accounts.keys("Acme")].count(True) == 1
    other = world.accounts.create_key("Acme")
    with pytest.raises(Refused, match="More than one"):
        world.accounts.regenerate_key("Acme")
    revoked, _ = world.accounts.regenerate_key("Acme", other.prefix)
    assert revoked.prefix == other.prefix
    assert world.gate.admit(new.api_key, None).refusal is None


def test_a_user_has_an_address_and_a_role_in_one_account(world):
    world.accounts.create("Acme")
    world.accounts.create("Other")
    world.accounts.add_user("Acme", " Ann@Example.com ", "admin")
    world.accounts.add_user("Acme", "bob@example.com")
    world.accounts.add_user("Other", "ann@example.com", "manager")
    assert [(user.email, user.role) for user in world.accounts.users("Acme")] == [
        ("ann@example.com", "admin"),
        ("bob@example.com", "member"),
    ]


@pytest.mark.parametrize(
    ("email", "role", "reason"),
    [
        ("ann@example.com", "member", "already"),
        ("ANN@EXAMPLE.COM", "member", "already"),
        ("ann", "member", "not an e-mail"),
        ("a@b@example.com", "member", "not an e-mail"),
        ("bob@example.com", "owner", "admin, manager, member"),
    ],
)
def test_an_existing_user_or_one_without_address_or_role_is_refused(world, email, role, reason):
    world.accounts.create("Acme")
    world.accounts.add_user("Acme", "ann@example.com")
    with pytest.raises(Refused, match="is already a user"):
        world.accounts.add_user("Acme", "a\u200bnn@example.com")
    with pytest.raises(Refused, match=reason):
        world.accounts.add_user("Acme", email, role)
    assert len(world.accounts.users("Acme")) == 1


def test_account_numbers_are_never_reused(world):
    first = world.accounts.create("First")
    session = world.database.session()
    session.raw.execute("DELETE FROM balances")
    session.raw.execute("DELETE FROM accounts")
    assert world.accounts.create("Second").id > first.id


def test_the_operator_acts_in_an_account_with_its_plan(world):
    account = world.accounts.create("Acme", plan="pro", can_reveal="priced")
    caller = world.accounts.operator("Acme", "names")
    assert (caller.account_id, caller.plan.name, caller.can_reveal) == (account.id, "pro", "priced")


class NoPlans:
    def named(self, name):
        raise Refused(f"there is no plan {name}")


def test_the_operator_acts_where_the_plan_is_not_configured_any_more(world, monkeypatch):
    account = world.accounts.create("Acme")
    monkeypatch.setattr(world.accounts, "_plans", NoPlans())
    caller = world.accounts.operator(str(account.id), "names")
    assert (caller.account_id, caller.can_reveal) == (account.id, "names")
    with pytest.raises(Refused):
        _ = caller.plan


def test_an_account_is_renamed_and_found_by_its_new_name_alone(world):
    account = world.accounts.create("Acme")
    key = world.accounts.create_key("Acme")
    assert world.accounts.rename("Acme", " Acme Europe ").name == "Acme Europe"
    assert world.accounts.find("Acme Europe").id == account.id
    assert world.gate.admit(key.api_key, None).refusal is None
    with pytest.raises(Refused, match="No account"):
        world.accounts.find("Acme")


@pytest.mark.parametrize(
    ("name", "reason"), [("Other", "already exists"), ("12", "digits"), ("", "1 to 200")]
)
def test_an_account_keeps_its_name_if_the_new_one_is_taken_or_none(world, name, reason):
    world.accounts.create("Acme")
    world.accounts.create("Other")
    with pytest.raises(Refused, match=reason):
        world.accounts.rename("Acme", name)
    assert world.accounts.rename("Acme", "Acme").name == "Acme"


def test_a_user_gets_another_role_unless_it_is_the_last_admin(world):
    world.accounts.create("Acme")
    world.accounts.add_user("Acme", "ann@example.com", "admin")
    world.accounts.add_user("Acme", "bob@example.com")
    with pytest.raises(Refused, match="last admin"):
        world.accounts.set_role("Acme", "ann@example.com", "member")
    assert world.accounts.set_role("Acme", " Bob@Example.com", "admin").role == "admin"
    world.accounts.set_role("Acme", "ann@example.com", "member")
    assert [user.role for user in world.accounts.users("Acme")] == ["member", "admin"]


def test_a_user_is_removed_unless_it_is_the_last_admin(world):
    world.accounts.create("Acme")
    world.accounts.create("Other")
    world.accounts.add_user("Acme", "ann@example.com", "admin")
    bob = world.accounts.add_user("Acme", "bob@example.com")
    world.accounts.add_user("Other", "bob@example.com")
    with pytest.raises(Refused, match="last admin"):
        world.accounts.remove_user("Acme", "ann@example.com")
    assert world.accounts.remove_user("Acme", "BOB@example.com") == bob
    assert [user.email for user in world.accounts.users("Acme")] == ["ann@example.com"]
    assert [user.email for user in world.accounts.users("Other")] == ["bob@example.com"]
    assert world.accounts.add_user("Acme", "bob@example.com").id > bob.id


@pytest.mark.parametrize(
    ("email", "role", "reason"),
    [("eve@example.com", "member", "is no user"), ("ann@example.com", "owner", "Unknown role")],
)
def test_a_role_of_an_unknown_user_and_an_unknown_role_are_refused(world, email, role, reason):
    world.accounts.create("Acme")
    world.accounts.add_user("Acme", "ann@example.com")
    with pytest.raises(Refused, match=reason):
        world.accounts.set_role("Acme", email, role)


def test_a_closed_account_has_no_keys_and_no_credits_and_cannot_be_changed(world):
    account = world.accounts.create("Acme", credits=9)
    world.accounts.add_user("Acme", "ann@example.com")
    key = world.accounts.create_key("Acme")
    closed = world.accounts.close("Acme")
    assert (closed.active, closed.remaining, closed.closed_at) == (False, 0, world.clock.seconds())
    assert isinstance(world.gate.admit(key.api_key, None).refusal, Unauthorized)
    assert [(row.kind, row.credits) for row in world.entries(account.id)] == [("grant", 9), ("expiry", 9)]
    for change in (
        lambda: world.accounts.close("Acme"),
        lambda: world.accounts.set_active("Acme", True),
        lambda: world.accounts.grant("Acme", 1),
        lambda: world.accounts.create_key("Acme"),
        lambda: world.accounts.set_plan("Acme", "pro"),
        lambda: world.accounts.rename("Acme", "Other"),
        lambda: world.accounts.add_user("Acme", "bob@example.com"),
    ):
        with pytest.raises(Refused, match="was closed at"):
            change()


def test_a_new_key_keeps_its_terms_and_so_does_its_successor(world):
    world.accounts.create("Acme")
    end = world.clock.seconds() + 1_000
    world.accounts.create_key("Acme", KeyTerms(" crm ", end, 0))
    world.accounts.regenerate_key("Acme")
    terms = [(key.name, key.expires_at, key.daily_credits) for key in world.accounts.keys("Acme")]
    assert terms == [("crm", end, 0), ("crm", end, 0)]


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (KeyTerms("x" * 101), "at most 100"),
        (KeyTerms("two\nlines"), "printable"),
        (KeyTerms(expires_at=1.0), "choose a later end"),
        (KeyTerms(daily_credits=-1), "must be 0 to"),
        (KeyTerms(daily_credits=2**53), "must be 0 to"),
    ],
)
def test_a_key_with_impossible_terms_is_refused(world, terms, reason):
    world.accounts.create("Acme")
    with pytest.raises(Refused, match=reason):
        world.accounts.create_key("Acme", terms)
    assert world.accounts.keys("Acme") == []


def test_an_expired_key_has_no_successor(world):
    world.accounts.create("Acme")
    world.accounts.create_key("Acme", KeyTerms(expires_at=world.clock.seconds() + 1))
    world.clock.advance(1)
    with pytest.raises(Refused, match="create another one"):
        world.accounts.regenerate_key("Acme")
    assert [key.revoked_at for key in world.accounts.keys("Acme")] == [None]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2026-12-31", "2027-01-01T00:00:00.000Z"),
        ("20261231", "2027-01-01T00:00:00.000Z"),
        ("2026-W53-4", "2027-01-01T00:00:00.000Z"),
        ("2026-12-31T18:30", "2026-12-31T18:30:00.000Z"),
        ("2026-12-31T18:30:00+02:00", "2026-12-31T16:30:00.000Z"),
        ("2026-12-31T18:30:00Z", "2026-12-31T18:30:00.000Z"),
    ],
)
def test_a_key_expires_at_the_end_of_a_day_or_at_a_time(text, end):
    assert iso(read_expiry(text)) == end


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "2026-02-30", "31.12.2026"])
def test_an_end_that_is_no_day_or_time_is_refused_with_an_example(text):
    with pytest.raises(Refused, match="write it as"):
        read_expiry(text)


@pytest.mark.parametrize("text", ["9999-12-31", "9999-12-31T23:00-02:00"])
def test_an_end_after_the_year_9999_is_refused_with_the_last_one(text):
    with pytest.raises(Refused, match="9999 in UTC; the last end is 9999-12-31T23:59:59Z"):
        read_expiry(text)
    assert iso(read_expiry("9999-12-31T23:59:59Z")) == "9999-12-31T23:59:59.000Z"
