import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.company_json import CompanyParts, decode_company, encode_company
from firmograph.directory.contact_json import decode_contact, encode_contact
from firmograph.directory.records import Company, Contact

pytestmark = pytest.mark.no_database

text = st.text(min_size=1, max_size=8)
number = st.integers(0, 10**6)


def structs(of: type[msgspec.Struct], depth: int = 0) -> st.SearchStrategy:
    """Generate records of a type, with any of their fields set."""
    fields = {}
    for field in msgspec.inspect.type_info(of).fields:
        fields[field.name] = values(field.type)
    return st.builds(of, **fields)


def values(kind: msgspec.inspect.Type) -> st.SearchStrategy:
    match kind:
        case msgspec.inspect.UnionType(types=types):
            return st.one_of(*[values(one) for one in types])
        case msgspec.inspect.NoneType():
            return st.none()
        case msgspec.inspect.StrType():
            return text
        case msgspec.inspect.IntType():
            return number
        case msgspec.inspect.FloatType():
            return st.integers(-100, 100).map(float)
        case msgspec.inspect.BoolType():
            return st.booleans()
        case msgspec.inspect.ListType(item_type=item):
            return st.lists(values(item), max_size=2)
        case msgspec.inspect.TupleType(item_types=items):
            return st.tuples(*[values(one) for one in items])
        case msgspec.inspect.DictType():
            return st.dictionaries(text, number, min_size=1, max_size=2)
        case msgspec.inspect.StructType(cls=cls):
            return structs(cls)
    raise AssertionError(kind)


def tidy(record):
    """Return a record without empty parts, as the normaliser gives it."""
    for field in record.__struct_fields__:
        value = getattr(record, field)
        if isinstance(value, msgspec.Struct):
            tidy(value)
            if msgspec.json.encode(value) == b"{}":
                setattr(record, field, None)
    return record


@given(structs(Contact).map(tidy))
def test_a_contact_is_unchanged_by_its_stored_parts(record):
    assert decode_contact(encode_contact(record)) == record


@given(structs(Company).map(tidy))
def test_a_company_is_unchanged_by_its_stored_parts(record):
    assert decode_company(encode_company(record)) == record


def test_hidden_fields_are_in_no_answered_part():
    record = Company(name="Acme", domain="acme.example", stock_symbols=["ACME"], ipo_date="2001-02-03")
    fragments = encode_company(record)
    assert b"ACME" not in fragments.preview + fragments.profile + fragments.summary
    assert b"2001" not in fragments.preview + fragments.profile + fragments.summary


def test_premium_values_are_in_the_premium_part_alone_and_are_listed():
    record = msgspec.convert(
        {
            "name": "Acme",
            "domain": "acme.example",
            "openJobs": {"total": 7},
            "monthlyWebsiteTraffic": {"visits": 9},
        },
        Company,
    )
    fragments = encode_company(record)
    assert msgspec.json.decode(fragments.premium) == {
        "monthlyWebsiteTraffic": {"visits": 9.0},
        "openJobsTotal": 7,
    }
    profile = msgspec.json.decode(fragments.profile)
    assert profile["has"] == ["monthlyWebsiteTraffic", "openJobsTotal"]
    assert "openJobs" not in profile
    assert "monthlyWebsiteTraffic" not in profile


def test_competitors_are_revealed_as_the_records_they_are_linked_to():
    record = msgspec.convert({"name": "Acme", "competitors": [{"name": "Rival"}]}, Company)
    assert encode_company(record).premium is None
    linked = encode_company(record, competitor_ids=[12])
    assert msgspec.json.decode(linked.premium) == {"competitors": [12]}
    assert decode_company(linked) == record


def test_a_company_without_a_name_is_shown_by_its_domain():
    fragments = encode_company(Company(domain="acme.example"))
    assert isinstance(fragments, CompanyParts)
    assert fragments.summary == b'"name":"acme.example","domain":"acme.example"'
    assert decode_company(fragments).name is None


def test_an_object_without_shown_fields_is_left_out():
    person = msgspec.convert(
        {
            "firstName": "Jane",
            "location": {"continent": "Europe"},
            "socialLinks": {"xUrl": "https://x.com/jane"},
        },
        Contact,
    )
    assert (
        encode_contact(person).preview == b'{"firstName":"Jane","has":["firstName","location","socialLinks"]}'
    )
    company = msgspec.convert({"name": "Acme", "location": {"zipCode": "1"}}, Company)
    assert encode_company(company).preview == b'{"name":"Acme","has":[]}'
