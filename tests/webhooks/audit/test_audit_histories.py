"""The audit against a list in memory: whatever was added and forgotten, pages and totals are those of its rows."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from firmograph.database.connection import account_scope
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries.audit_store import AuditEntry
from firmograph.webhooks.types import Status

SUBSCRIPTIONS = [f"{n:024x}" for n in range(3)]
outcomes = st.tuples(
    st.integers(0, 1),
    st.sampled_from(SUBSCRIPTIONS),
    st.sampled_from(Status),
    st.integers(0, 5),
    st.integers(0, 1),
    # behind the clock: they are recorded in another order than sent
    st.integers(0, 3),
)
steps = st.lists(
    st.one_of(
        st.lists(outcomes, min_size=1, max_size=8),
        st.tuples(st.sampled_from(Status), st.integers(0, 30), st.integers(1, 5)),
    ),
    max_size=10,
)
questions = st.tuples(
    st.integers(0, 1),
    st.none() | st.sampled_from(SUBSCRIPTIONS),
    st.none() | st.sampled_from(Status),
    st.integers(1, 6),
    st.integers(0, 6),
)


def entry(account, subscription, status, credits, is_test, late, number):
    # of no two the same, as the order of twins is not said where they are forgotten
    at = number - late + number / 1_000
    return AuditEntry(
        account, subscription, f"{number}", status, None, "u", at, None, None, None, credits, None, is_test
    )


@settings(max_examples=25)
@given(steps=steps, questions=st.lists(questions, min_size=5, max_size=5))
def test_pages_and_totals_are_those_of_the_rows(world, steps, questions):
    accounts = [world.first, world.second]
    scopes = [account_scope(account) for account in accounts]
    held = []
    made = 0
    with world.database.write(*scopes) as session:
        # of an example before this one
        for status in Status:
            audit_store.delete(session, [id for id, _ in audit_store.find_older(session, status, 1e9, 1_000)])
    for step in steps:
        with world.database.write(*scopes) as session:
            if isinstance(step, list):
                new = [entry(accounts[of], *rest, made + n) for n, (of, *rest) in enumerate(step)]
                made += len(new)
                audit_store.add(session, new)
                held += new
            else:
                status, before, most = step
                old = audit_store.find_older(session, status, before, most)
                expected = sorted(
                    (one for one in held if one.status == status and one.at <= before), key=lambda one: one.at
                )[:most]
                assert [account for _, account in old] == [one.account_id for one in expected]
                assert audit_store.delete(session, [id for id, _ in old]) == len(expected)
                held = [one for one in held if one not in expected]
    with world.database.read() as session:
        for of, subscription, status, limit, offset in questions:
            mine = [
                one
                for one in sorted(held, key=lambda one: -one.at)
                if one.account_id == accounts[of] and subscription in (None, one.subscription)
            ]
            sums = defaultdict(lambda: (0, 0, 0))
            for one in mine:
                rows, tests, credits = sums[one.status]
                sums[one.status] = (rows + 1, tests + one.is_test, credits + one.credits)
            assert audit_store.read_totals(session, accounts[of], subscription) == dict(sums)
            shown = audit_store.read_page(
                session, accounts[of], subscription=subscription, status=status, limit=limit, offset=offset
            )
            chosen = [one for one in mine if status in (None, one.status)][offset : offset + limit]
            assert [row[1:] for row in shown] == [tuple(one) for one in chosen]
