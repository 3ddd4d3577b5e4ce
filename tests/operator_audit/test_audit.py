import pytest

import database_fixtures
from account_fixtures import World
from firmograph.database.connection import ACCOUNTS
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit, check_reason, read_actions
from firmograph.privacy.suppression import Suppression
from installation_factory import installation_of


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.end()


def actions(world, account=None):
    """Return the recorded actions, oldest first."""
    with world.database.read() as session:
        return [*read_actions(session, account)][::-1]


def test_each_change_of_an_account_is_recorded_with_its_object_and_numbers(world):
    accounts = world.accounts
    accounts.create("Acme", "pro", 5)
    key = accounts.create_key("Acme")
    accounts.grant("Acme", 7, "order 12")
    accounts.set_plan("Acme", "scale")
    accounts.revoke_key("Acme")
    user = accounts.add_user("Acme", "dana@acme.example")
    accounts.set_active("Acme", False)
    assert [(one.action, one.account, one.subject, one.details, one.reason) for one in actions(world)] == [
        ("account create", 1, "", '{"plan":"pro","credits":5}', ""),
        ("key create", 1, f"key {key.prefix}", "{}", ""),
        ("credits grant", 1, "", '{"credits":7}', "order 12"),
        ("account plan", 1, "", '{"plan":"scale","before":"pro"}', ""),
        ("key revoke", 1, f"key {key.prefix}", "{}", ""),
        ("user add", 1, f"user {user.id}", '{"role":"member"}', ""),
        ("account disable", 1, "", "{}", ""),
    ]


def test_a_refused_change_is_not_recorded(world):
    world.accounts.create("Acme")
    with pytest.raises(Refused):
        world.accounts.adjust("Acme", 1, "nothing is left")
    assert [one.action for one in actions(world)] == ["account create"]


def test_actions_of_one_account_are_those_on_it(world):
    first, second = world.accounts.create("First"), world.accounts.create("Second")
    world.accounts.grant("Second", 1)
    assert [one.action for one in actions(world, second.id)] == ["account create", "credits grant"]
    assert [one.action for one in actions(world, first.id)] == ["account create"]


def test_an_action_names_the_user_of_the_operating_system_or_the_given_operator(world):
    with world.database.write(ACCOUNTS) as session:
        OperatorAudit().record(session, 1.0, "here")
        OperatorAudit("fgo_1a2b3c4d").record(session, 1.0, "there")
    here, there = actions(world)
    assert here.actor
    assert there.actor == "fgo_1a2b3c4d"


@pytest.mark.parametrize(
    "statement", ["UPDATE operator_actions SET actor = 'nobody'", "DELETE FROM operator_actions"]
)
def test_the_database_refuses_to_change_or_delete_actions(world, statement):
    world.accounts.create("Acme")
    with pytest.raises(Exception, match="append-only"), world.database.write(ACCOUNTS) as session:
        session.raw.execute(statement)
    assert len(actions(world)) == 1


def test_actions_beyond_a_page_are_read_completely_newest_first(world):
    with world.database.write(ACCOUNTS) as session:
        for number in range(1_100):
            OperatorAudit().record(session, float(number), "many")
    with world.database.read() as session:
        times = [one.at for one in read_actions(session)]
    assert times == [float(number) for number in reversed(range(1_100))]


@pytest.mark.parametrize("reason", ["", " ", "x" * 201, "two\nlines", "a\ttab"])
def test_a_reason_that_is_none_is_refused(world, reason):
    with pytest.raises(Refused, match="1 to 200"):
        check_reason(reason)
    world.accounts.create("Acme", credits=3)
    with pytest.raises(Refused):
        world.accounts.grant("Acme", 1, reason)
    assert world.accounts.find("Acme").remaining == 3


def test_suppressions_are_recorded_with_a_digest_of_the_person_and_no_address(world):
    suppression = installation_of(world.database, world.clock).get(Suppression)
    person = suppression.person(email="ann@example.com")
    suppression.suppress(person)
    assert suppression.unsuppress(person)
    assert not suppression.unsuppress(person)
    done = actions(world)
    assert [(one.action, one.details) for one in done] == [
        ("suppress", '{"records":0}'),
        ("unsuppress", "{}"),
    ]
    assert done[0].person == done[1].person == person.digest
    assert b"ann@" not in database_fixtures.content(world.database)


def test_an_export_of_the_ledger_is_recorded(world):
    account = world.accounts.create("Acme", credits=3)
    assert [entry.credits for _, entry in world.accounts.ledger("Acme")] == [3]
    assert (actions(world)[-1].action, actions(world)[-1].account) == ("ledger export", account.id)
