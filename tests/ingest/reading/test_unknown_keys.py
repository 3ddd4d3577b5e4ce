"""Keys of JSON rows that nothing reads."""

from typing import Any

import pytest
from msgspec import inspect

from firmograph.directory import records
from firmograph.enrichment.answers import EnrichedCompany, EnrichedContact, FoundCompany, FoundContact
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.reading.unknown_keys import find_unknown_keys

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"firstName": "Ada", "surname": "Lowe"}, {"surname"}),
        ({"company": {"name": "Acme", "revenue": 3}}, {"company.revenue"}),
        ({"emails": [{"email": "a@b.example", "state": "ok"}, "x", {"kind": 1}]}, {"emails.state", "emails.kind"}),
        ({"previousEmployment": [{"company": {"name": "A", "size": 3}}]}, {"previousEmployment.company.size"}),
        ({"employer": {"funding": {"rounds": [{"lead": "X"}]}}}, {"employer.funding.rounds.lead"}),
        ({"custom": {"a": {"b": 1}}}, {"custom"}),
        ({"a.b": 1}, {"a.b"}),
        ({"surname": "", "other": None, "list": [], "object": {}, "blank": "  "}, set()),
        ({"zero": 0, "no": False}, {"zero", "no"}),
        ({"employer": {"employeeCount": {"exact": 3}}}, set()),
        (["no object"], set()),
    ],
)  # fmt: skip
def test_keys_with_a_value_that_no_field_reads_are_unknown(row, expected):
    assert find_unknown_keys(ContactInput, row) == expected


def test_mapped_keys_are_known():
    row = {"who": "Ada", "address": {"town": "Reno"}, "else": 1}
    assert find_unknown_keys(ContactInput, row, ("who", "address.town")) == {"else"}


def every_key(form: inspect.Type) -> Any:
    if isinstance(form, inspect.StructType):
        return {field.encode_name: every_key(field.type) for field in form.fields}
    if isinstance(form, inspect.UnionType):
        return every_key(next(one for one in form.types if not isinstance(one, inspect.NoneType)))
    if isinstance(form, inspect.ListType):
        return [every_key(form.item_type)]
    return every_key(form.type) if isinstance(form, inspect.Metadata) else "x"


@pytest.mark.parametrize(
    ("answer", "row"),
    [
        *((answer, ContactInput) for answer in (EnrichedContact, FoundContact, records.Contact)),
        *((answer, CompanyInput) for answer in (EnrichedCompany, FoundCompany, records.Company)),
    ],
)
def test_no_key_of_an_answer_is_unknown(answer, row):
    assert find_unknown_keys(row, every_key(inspect.type_info(answer))) == set()
