"""Pages of a buying group are the list that one large page would be, and the ledger matches what was answered."""

from functools import cache

import pytest
from group_people import PATH, SIZES, domain_of, expected_group, page_of
from hypothesis import given, settings
from hypothesis import strategies as st

import stored_records
from effort import examples
from firmograph.buying_groups.roles.personas import PERSONAS
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING

pytestmark = pytest.mark.any_database

TOKENS = RecordIds(KEYRING)
EXAMPLES = examples(60)

requests = st.fixed_dictionaries(
    {
        "companies": st.lists(
            st.sampled_from([*SIZES, "nobody"]).map(lambda name: {"domain": domain_of(name)}),
            min_size=1,
            max_size=6,
        )
    },
    optional={
        "personas": st.lists(st.sampled_from(PERSONAS), max_size=3),
        "contactsLimit": st.sampled_from((1, 3, 10, 50, 1_000)),
    },
)


def test_pages_are_parts_of_the_whole_list_and_cost_what_they_show(groups):
    people = stored_records.stored_contacts(groups.database)
    companies = stored_records.stored_companies(groups.database)
    numbers = {one.domain: number for number, one in companies.items()}
    key = groups.new_key("Pages", credits=10_000_000)
    totals, charges = set(), []

    @cache
    def group_of(domain, personas):
        return expected_group(people, numbers[domain], personas) if domain in numbers else None

    @settings(max_examples=EXAMPLES)
    @given(requests, st.integers(10, 100))
    def run(body, size):
        shown = []
        limit, personas = body.get("contactsLimit", 60), frozenset(body.get("personas", ()))
        groups_of_all = [group_of(one["domain"], personas) for one in body["companies"]]
        expected = [None if group is None else group[:limit] for group in groups_of_all]
        total = sum(len(group or ()) for group in expected)
        for page in range(total // size + 2):
            answer = groups.post(PATH, body | {"pagination": {"page": page, "size": size}}, key=key).json()
            assert answer["pagination"] == {"page": page, "size": size, "total": total}
            pages = page_of(expected, page, size).values()
            contacts = [
                [
                    (TOKENS.open(Entity.CONTACT, one["id"]), one["roles"], one["score"])
                    for one in result["contacts"]
                ]
                for result in answer["results"]
            ]
            assert contacts == [[tuple(member) for member in members] for members in pages]
            on_page = [number for group in contacts for number, *_ in group]
            assert answer["billing"] == {
                "creditsCharged": len(set(on_page)),
                "resultsReturned": len(on_page),
            }
            charges.append(len(set(on_page)))
            shown += on_page
        assert shown == [member.number for group in expected for member in group or ()]
        totals.add(total)

    run()
    assert groups.get("/v3/account/usage", key=key).json()["credits"]["used"] == sum(charges)
    assert len(totals) > EXAMPLES // 3
