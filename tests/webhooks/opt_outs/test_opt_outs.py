"""Opt-out notices to the accounts that revealed a suppressed person.

See docs/reference/webhooks.md#opt-outs.
"""

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from opt_out_fixtures import ZOE, ZOE_PAGE, ZOE_PHONE, OptOutWorld
from queue_fixtures import FAILED, OK, QueueWorld

import database_fixtures
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.paid_units import record_paid
from firmograph.billing.types import Unit
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.clock import midnight
from firmograph.privacy import suppression_file
from firmograph.security.encryption import DecryptionError
from firmograph.security.record_ids import Entity
from firmograph.webhooks.opt_outs.service import OptOuts, build_notices
from firmograph.webhooks.opt_outs.store import Reveal
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import Status
from installation_factory import make_suppression
from record_factory import DIGESTS, KEYRING, contact, load_contacts

EMAILS = [
    {"datapointId": ZOE, "datapointType": "email"},
    {"datapointId": "private@zoe.example.com", "datapointType": "email"},
]
PHONES = [{"datapointId": ZOE_PHONE, "datapointType": "phone"}]


@pytest.fixture
def people(world):
    return OptOutWorld(world)


def notices(people):
    """Return the queued notices as (public id of the subscription, types of data points, partner)."""
    rows = [
        (
            token,
            "+".join(sorted({point["datapointType"] for point in payload["datapoints"]})),
            payload.get("partnerClientId"),
        )
        for token, payload in people.opt_outs()
    ]
    return sorted(rows, key=str)


# --- recipients and data points ---


def test_a_notice_has_all_data_points_that_the_account_revealed(people, world):
    world.clock.advance(0.25)
    one = world.subscribe(number=None)
    people.reveal(world.first, "emails")
    world.clock.advance(86_400 + 0.5)
    people.reveal(world.first, "phones")
    world.clock.advance(60)
    assert people.suppress() == 1
    assert people.opt_outs() == [
        (
            one.token,
            {
                "contactId": world.tokens.seal(Entity.CONTACT, people.zoe),
                "fullName": "Zoë Ångström",
                "contactOptOutDate": "2026-09-22 14:14:20.750",
                "contactExposureDate": "2026-09-21 14:13:20",
                "datapoints": [*EMAILS, *PHONES],
                "companyName": "Company 1",
                "jobTitle": 'Head of "Sales" / R&D',
                "linkedinUrl": ZOE_PAGE,
            },
        )
    ]


def test_a_notice_has_the_day_of_the_request_if_that_came_before(people, world):
    world.subscribe(number=None)
    people.reveal(world.first, "emails")
    requested_at = midnight("2026-09-01")
    people.suppression.suppress(people.suppression.person(email=ZOE), requested_at=requested_at)
    ((_, payload),) = people.opt_outs()
    assert payload["contactOptOutDate"] == "2026-09-01 00:00:00.000"


def test_a_notice_has_no_unrevealed_data_points(people, world):
    one = world.subscribe(number=None)
    people.reveal(world.first, "phones")
    people.suppress()
    assert notices(people) == [(one.token, "phone", None)]


def test_only_accounts_that_revealed_the_person_are_notified(people, world):
    """Neither reveals of another contact nor of the company of the same number count."""
    mine, _ = world.subscribe(number=None), world.subscribe(world.second, None)
    people.reveal(world.first, "emails")
    people.reveal(world.second, "emails", "phones", number=1)
    with people.database.write(account_scope(world.second)) as session:
        record_paid(
            AccountSession(session, world.second), [Unit(Entity.COMPANY, people.zoe, "emails")], "call", 1.0
        )
    people.suppress()
    assert notices(people) == [(mine.token, "email", None)]


def test_each_account_is_notified_of_its_own_reveals(people, world):
    one, other = world.subscribe(number=None), world.subscribe(world.second, None)
    people.reveal(world.first, "emails")
    people.reveal(world.second, "phones")
    people.suppress()
    assert notices(people) == [(one.token, "email", None), (other.token, "phone", None)]


def test_an_account_without_opt_out_subscription_is_not_notified(people, world):
    world.subscribe(number=people.zoe, entity=Entity.CONTACT)
    people.reveal(world.first, "emails")
    people.suppress()
    assert world.deliveries() == []


def test_a_blocked_subscription_queues_the_notice_and_a_disabled_one_does_not(people, world):
    blocked, disabled = world.subscribe(number=None), world.subscribe(world.second, None)
    world.overwrite(blocked._replace(active=0, block_reason="Max retries exceeded", blocked_at=1.0))
    world.overwrite(disabled._replace(active=0))
    for account in (world.first, world.second):
        people.reveal(account, "emails")
    people.suppress()
    assert notices(people) == [(blocked.token, "email", None)]
    assert world.subscription(blocked.token).queued == 1


def test_a_notice_omits_revealed_data_points_that_are_deleted(people, world):
    one = world.subscribe(number=None)
    people.reveal(world.first, "phones")
    load_contacts(people.database, "test", [("zoe", contact("Zoë", "Ångström", emails=[ZOE]))])
    people.suppress()
    assert notices(people) == [(one.token, "", None)]


def test_each_revealed_record_of_the_person_has_its_own_notice(people, world):
    one = world.subscribe(number=None)
    load_contacts(
        people.database, "other", [("z", contact("Zoë", "Ångström", emails=[ZOE], company="Elsewhere"))]
    )
    load_contacts(
        people.database, "third", [("y", contact("Zoë", "Ångström", linkedin=ZOE_PAGE, company="C"))]
    )
    numbers = [
        row[0] for row in people.database.session().raw.execute("SELECT id FROM contacts WHERE id >= 6")
    ]
    for number in numbers:
        people.reveal(world.first, "emails", number=number)
    assert people.suppress() == len(numbers)
    ids = {payload["contactId"] for token, payload in people.opt_outs() if token == one.token}
    assert ids == {world.tokens.seal(Entity.CONTACT, number) for number in numbers}


def test_a_repeated_suppression_sends_no_second_notice(people, world):
    world.subscribe(number=None)
    people.reveal(world.first, "emails")
    people.suppress()
    assert people.suppress() == 0
    assert len(people.opt_outs()) == 1


def test_imported_suppressions_send_notices(people, world, tmp_path):
    (tmp_path / "other").mkdir()
    other = Database(database_fixtures.fresh(tmp_path / "other"))
    other_suppression = make_suppression(other, KEYRING, world.clock)
    other_suppression.suppress(other_suppression.person(email=ZOE))
    suppression_file.export_suppressions(other, KEYRING.fingerprint(), tmp_path / "file", replace=False)
    other.close()
    database_fixtures.drop(other.url)
    one = world.subscribe(number=None)
    people.reveal(world.first, "emails")
    imported = suppression_file.read_suppressions(tmp_path / "file", KEYRING.fingerprint())
    assert people.suppression.import_keys(imported.hashes, imported.last_contact).removed == 1
    assert notices(people) == [(one.token, "email", None)]


# --- partners ---

P, Q = "partner-1", "partner-2"


@pytest.mark.parametrize(
    ("subscriptions", "reveals", "expected"),
    [
        (["", P], [(P, "emails")], [(P, "email", P)]),
        ([""], [(P, "emails")], [("", "email", P)]),
        ([Q], [(P, "emails")], []),
        (["", P], [("", "emails")], [("", "email", None)]),
        ([P], [("", "emails")], []),
        (["", P], [("", "emails"), (P, "emails")], [("", "email", None), (P, "email", P)]),
        ([""], [("", "emails"), (P, "emails")], [("", "email", None), ("", "email", P)]),
        (["", P], [("", "emails"), (P, "phones")], [("", "email", None), (P, "phone", P)]),
        (["", P, Q], [(P, "emails"), (Q, "emails", "phones")], [(P, "email", P), (Q, "email+phone", Q)]),
        # a reveal without payment leaves no trace
        (["", P], [(P, "emails"), ("", "emails")], [(P, "email", P)]),
        # paid again after the first payment expired
        (["", P], [(P, "emails"), ("again", "emails")], [("", "email", None), (P, "email", P)]),
    ],
)
def test_a_partners_reveal_goes_to_its_subscription_or_else_to_the_one_without_partner(
    people, world, subscriptions, reveals, expected
):
    tokens = {partner: world.subscribe(number=None, partner=partner).token for partner in subscriptions}
    for partner, *units in reveals:
        again = partner == "again"
        people.reveal(world.first, *units, partner="" if again else partner, again=again)
        world.clock.advance(60)
    people.suppress()
    assert notices(people) == sorted(
        [(tokens[to], points, partner) for to, points, partner in expected], key=str
    )


def test_a_disabled_partner_subscription_has_no_substitute(people, world):
    world.subscribe(number=None)
    theirs = world.subscribe(number=None, partner=P)
    with people.database.write(account_scope(world.first)) as session:
        subscription_store.disable(AccountSession(session, world.first), [theirs.id], world.clock.seconds())
    people.reveal(world.first, "emails", partner=P)
    people.suppress()
    assert notices(people) == []


def test_a_partner_has_its_own_exposure_date(people, world):
    world.subscribe(number=None)
    people.reveal(world.first, "emails")
    world.clock.advance(3_600)
    people.reveal(world.first, "emails", partner=P)
    people.suppress()
    dates = {
        payload.get("partnerClientId"): payload["contactExposureDate"] for _, payload in people.opt_outs()
    }
    assert dates == {None: "2026-09-21 14:13:20", P: "2026-09-21 15:13:20"}


UNITS = st.sampled_from(["emails", "phones"])
TIMES = st.integers(1, 4).map(float)


@given(
    st.dictionaries(st.tuples(st.integers(1, 2), st.integers(1, 2), UNITS), st.tuples(TIMES, TIMES)),
    st.dictionaries(st.tuples(st.integers(1, 2), st.integers(1, 2), st.sampled_from([P, Q]), UNITS), TIMES),
)
def test_notices_have_exactly_the_revealed_data_points_of_each_partner(paid, exposures):
    revealed = [Reveal(*key, min(times), max(times)) for key, times in paid.items()]
    exposed = [Exposure(*key, at) for key, at in exposures.items() if (key[0], key[1], key[3]) in paid]
    payloads = list(build_notices(revealed, exposed))
    assert {(one.account_id, one.number, unit) for one in payloads for unit in one.units} == paid.keys()
    for_partners = {
        (one.account_id, one.number, one.partner, unit): at
        for one in payloads
        if one.partner
        for unit, at in one.units.items()
    }
    assert for_partners == {(each[0], each[1], each[2], each[3]): each[4] for each in exposed}
    assert len({one[:3] for one in payloads}) == len(payloads)


# --- the payload ---


def test_the_payload_is_stored_encrypted_for_its_own_delivery(people, world):
    world.subscribe(number=None)
    world.subscribe(number=None, partner=P)
    people.reveal(world.first, "emails")
    world.clock.advance(60)
    people.reveal(world.first, "emails", partner=P)
    people.suppress()
    one, other = world.deliveries()
    assert b"zoe@" not in one["body"]
    with pytest.raises(DecryptionError):
        OptOuts(KEYRING).open(other["payload_id"], one["body"])


def test_no_plain_text_about_the_person_remains(people, world):
    world.subscribe(number=None)
    world.subscribe(number=None, partner=P)
    people.reveal(world.first, "emails", "phones", partner=P)
    people.suppress()
    content = database_fixtures.content(people.database).lower()
    for word in ("zoe@", "private@", "zoe-", "ngstr", ZOE_PHONE, "Head of"):
        assert word.lower().encode() not in content
    assert people.database.session().all(EXPOSURES) == []


EXPOSURES = sa.text("SELECT * FROM partner_reveals")


def test_a_notice_is_free_and_deleted_after_its_delivery(people, world):
    queue = QueueWorld(world)
    one = world.subscribe(number=None)
    people.reveal(world.first, "emails")
    people.suppress()
    (row,) = world.deliveries()
    (attempt,) = queue.claim()
    assert attempt.body == people.payload(row)
    assert attempt.body == msgspec.json.encode(msgspec.json.decode(attempt.body))
    echo = OK._replace(body=attempt.body)
    queue.record([attempt], echo)
    assert world.deliveries() == []
    (entry,) = world.audit()
    assert (entry["status"], entry["credits"], entry["acknowledgement"]) == (Status.SUCCESS, 0, None)
    assert queue.ledger_kinds(world.first) == []
    assert world.subscription(one.token).queued == 0


def test_an_undeliverable_notice_stays_encrypted(people, world):
    queue = QueueWorld(world)
    world.subscribe(number=None)
    people.reveal(world.first, "emails")
    people.suppress()
    (before,) = world.deliveries()
    for _ in range(4):
        queue.deliver(FAILED)
        world.clock.advance(900)
    (after,) = world.deliveries()
    assert (after["state"], after["body"]) == (2, before["body"])
    assert b"zoe@" not in database_fixtures.content(people.database)


def test_lifting_the_suppression_does_not_cancel_the_notice(people, world):
    world.subscribe(number=None)
    people.reveal(world.first, "emails")
    people.suppress()
    assert people.suppression.unsuppress(people.suppression.person(email=ZOE))
    assert len(people.opt_outs()) == 1


def test_a_repeated_notice_has_the_same_payload_id(people, world):
    """After a restore of an older backup receivers recognise the notice by its id."""
    one = world.subscribe(number=None)
    people.reveal(world.first, "emails")
    people.suppress()
    (row,) = world.deliveries()
    digest = DIGESTS.opt_out(one.token, people.zoe, "")
    assert row["payload_id"].replace("-", "")[:12] == digest.hex()[:12]
