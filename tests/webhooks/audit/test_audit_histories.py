"""Generated additions to and deletions from the audit, compared with a list in memory."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.database.connection import AccountSession, account_scope
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries.audit_store import AuditEntry
from firmograph.webhooks.types import Status

SUBSCRIPTIONS = [f"{n:024x}" for n in range(3)]
results = st.tuples(
    st.integers(0, 1),
    st.sampled_from(SUBSCRIPTIONS),
    st.sampled_from(Status),
    st.integers(0, 5),
    st.integers(0, 1),
    # delay of the recording: rows are recorded in another order than sent
    st.integers(0, 3),
)
steps = st.lists(
    st.one_of(
        st.lists(results, min_size=1, max_size=8),
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
    # all times differ, as deletion takes rows of equal times in any order
    at = number - late + number / 1_000
    return AuditEntry(
        account, subscription, f"{number}", status, None, "u", at, None, None, None, credits, None, is_test
    )


@settings(max_examples=examples(25))
@given(steps=steps, questions=st.lists(questions, min_size=5, max_size=5))
def test_pages_and_totals_agree_with_the_rows(world, steps, questions):
    accounts = [world.first, world.second]
    scopes = [account_scope(account) for account in accounts]
    stored = []
    count = 0
    with world.database.write(*scopes) as session:
        # delete the rows of the previous example
        for status in Status:
            audit_store.delete(session, [id for id, _ in audit_store.find_older(session, status, 1e9, 1_000)])
    for step in steps:
        with world.database.write(*scopes) as session:
            if isinstance(step, list):
                new = [entry(accounts[of], *rest, count + n) for n, (of, *rest) in enumerate(step)]
                count += len(new)
                audit_store.add(session, new)
                stored += new
            else:
                status, before, most = step
                old = audit_store.find_older(session, status, before, most)
                expected = sorted(
                    (one for one in stored if one.status == status and one.at <= before),
                    key=lambda one: one.at,
                )[:most]
                assert [account for _, account in old] == [one.account_id for one in expected]
                assert audit_store.delete(session, [id for id, _ in old]) == len(expected)
                stored = [one for one in stored if one not in expected]
    with world.database.read() as session:
        for of, subscription, status, limit, offset in questions:
            mine = [
                one
                for one in sorted(stored, key=lambda one: -one.at)
                if one.account_id == accounts[of] and subscription in (None, one.subscription)
            ]
            sums = defaultdict(lambda: (0, 0, 0))
            for one in mine:
                rows, tests, credits = sums[one.status]
                sums[one.status] = (rows + 1, tests + one.is_test, credits + one.credits)
            own = AccountSession(session, accounts[of])
            assert audit_store.read_totals(own, subscription) == dict(sums)
            page = audit_store.read_page(
                own, subscription=subscription, status=status, limit=limit, offset=offset
            )
            chosen = [one for one in mine if status in (None, one.status)][offset : offset + limit]
            assert [row[1:] for row in page] == [tuple(one) for one in chosen]
