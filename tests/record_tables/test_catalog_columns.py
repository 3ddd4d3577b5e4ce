import json
from functools import reduce

import full_records
import pytest

from firmograph.billing.affordable_charge import PricedGroup
from firmograph.billing.paid_units import record_paid
from firmograph.billing.types import Unit, UnitKind
from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.data_points import COMPANY_BASE, COMPANY_TOKENS
from firmograph.record_tables.columns.catalog import (
    COMPANY_CATALOG,
    CONTACT_CATALOG,
    DEFAULTS,
    catalog,
    find_entry,
    new_column,
    revealed_columns,
)
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.security.record_ids import Entity
from statement_counts import record_statements

CONTACT, COMPANY = Entity.CONTACT, Entity.COMPANY

CONTACT_PATHS = {
    "jobTitle": "jobTitle.title",
    "seniority": "jobTitle.seniority",
    "departments": "jobTitle.departments",
    "workEmail": "emails.2.email",
    "privateEmail": "emails.0.email",
    "mobilePhone": "phones.0.number",
    "directPhone": "phones.1.number",
    "workPhone": "phones.2.number",
    "linkedinUrl": "socialLinks.linkedin",
    "xUrl": "socialLinks.xUrl",
    **{key: f"location.{key}" for key in ("country", "countryIso2", "state", "city", "continent")},
    "companyName": "company.name",
}
COMPANY_PATHS = {
    **{key: f"location.{key}" for key in ("country", "state", "city", "continent")},
    **{key: f"socialLinks.{key}" for key in ("linkedin", "facebook", "x", "instagram", "youtube", "tiktok")},
    "openJobsTotal": "openJobs.total",
    "phone": "phones.0.number",
    "email": "emails.0.email",
}
ONLY_HERE = {"ipoDate": "1999-05-04", "stockSymbol": "ACME", "isEuContact": "true"}
"""Values that enrich shows in another form, or not at all."""
CONTACT_KEYS = [*(entry.key for entry in CONTACT_CATALOG), "companyName"]
COMPANY_KEYS = [entry.key for entry in COMPANY_CATALOG]


def at_path(value, path):
    return reduce(lambda found, name: found[int(name) if name.isdigit() else name], path.split("."), value)


class Records:
    def __init__(self, service):
        self.service = service
        self.account = service.accounts.find(service.account).id

    def load(self, entity, keys, numbers=(1, 2)):
        with self.service.database.read() as session:
            own = AccountSession(session, self.account)
            return full_records.load_values(self.service.installation, own, entity, keys, numbers, 0.0)

    def enrich(self, entity, **query):
        kind = "contacts" if entity is CONTACT else "companies"
        reveal = ["emails", "phones"] if entity is CONTACT else list(COMPANY_TOKENS)
        answer = self.service.post(f"/v3/{kind}/search-and-enrich", {kind: [query], "reveal": reveal})
        return answer.json()["results"][0]


@pytest.fixture(scope="module")
def records(shared_service):
    full_records.load_records(shared_service.database)
    return Records(shared_service)


@pytest.fixture(scope="module")
def shown(records):
    return {
        CONTACT: records.enrich(CONTACT, email="dana@acme.example"),
        COMPANY: records.enrich(COMPANY, domain="acme.example"),
    }


def test_the_catalogs_have_22_and_46_columns():
    assert len(CONTACT_CATALOG) == len({entry.key for entry in CONTACT_CATALOG}) == 22
    assert len(COMPANY_CATALOG) == len({entry.key for entry in COMPANY_CATALOG}) == 46


def test_every_entry_has_a_category_a_display_name_and_a_type():
    for entry in (*CONTACT_CATALOG, *COMPANY_CATALOG):
        assert entry.category
        assert entry.display_name
        assert entry.type in ("string", "number", "object")


def test_default_columns_are_those_of_the_contract():
    assert [each.key for each in DEFAULTS[CONTACT]] == ["fullName", "jobTitle", "companyName"]
    assert [each.key for each in DEFAULTS[COMPANY]] == ["name", "domain"]
    assert all(each.is_default for some in DEFAULTS.values() for each in some)


def test_the_name_of_the_employer_is_found_but_not_listed():
    assert find_entry(CONTACT, "companyName") is not None
    assert "companyName" not in {entry.key for entry in catalog(CONTACT)}


def test_a_key_of_the_other_kind_is_unknown():
    assert find_entry(CONTACT, "yearFounded") is None
    assert find_entry(COMPANY, "fullName") is None


def test_tokens_of_reveal_name_the_columns_that_hold_them():
    assert revealed_columns(CONTACT, "emails") == ("workEmail", "privateEmail")
    assert revealed_columns(CONTACT, "phones") == ("mobilePhone", "directPhone", "workPhone")
    assert revealed_columns(COMPANY, "intent") == ("intent",)
    assert revealed_columns(COMPANY, "directParent") == ()
    held = {key for token in COMPANY_TOKENS for key in revealed_columns(COMPANY, token)}
    assert held == {entry.key for entry in COMPANY_CATALOG if entry.unit}


def test_a_new_column_has_the_key_as_its_identity():
    new = new_column(COMPANY, "yearFounded")
    assert (new.kind, new.key, new.identity, new.name) == (
        "lusha",
        "yearFounded",
        "yearFounded",
        "Year founded",
    )
    assert not new.is_default


@pytest.mark.parametrize(("entity", "keys"), [(CONTACT, CONTACT_KEYS), (COMPANY, COMPANY_KEYS)])
def test_cells_hold_what_enrich_shows(records, shown, entity, keys):
    paths = CONTACT_PATHS if entity is CONTACT else COMPANY_PATHS
    expected = {
        key: ONLY_HERE[key] if key in ONLY_HERE else at_path(shown[entity], paths.get(key, key))
        for key in keys
    }
    held = {key: json.loads(found[1].value) for key, found in records.load(entity, keys).items()}
    assert held == expected


@pytest.mark.parametrize(("entity", "keys"), [(CONTACT, CONTACT_KEYS), (COMPANY, COMPANY_KEYS)])
def test_values_are_of_the_type_of_their_column(records, entity, keys):
    types = {"string": str, "number": int | float, "object": list | dict}
    for key, found in records.load(entity, keys).items():
        assert isinstance(json.loads(found[1].value), types[find_entry(entity, key).type]), key


def test_a_bare_contact_leaves_all_other_cells_empty(records):
    held = {key: found[2].value for key, found in records.load(CONTACT, CONTACT_KEYS).items()}
    filled = {key: json.loads(value) for key, value in held.items() if value is not None}
    assert filled == {"fullName": "Bo", "firstName": "Bo", "workEmail": "bo@acme.example"}


def test_a_bare_company_leaves_all_other_cells_empty(records):
    held = {key: found[2].value for key, found in records.load(COMPANY, COMPANY_KEYS).items()}
    filled = {key: json.loads(value) for key, value in held.items() if value is not None}
    assert filled == {"name": "Bare Ltd", "domain": "bare.example"}


def test_only_values_of_priced_columns_cost(records):
    for entity, keys in ((CONTACT, CONTACT_KEYS), (COMPANY, COMPANY_KEYS)):
        for key, found in records.load(entity, keys).items():
            unit = find_entry(entity, key).unit
            assert bool(found[1].groups) == (unit is not None), key
            assert bool(found[2].groups) == (unit is not None and found[2].value is not None), key


@pytest.mark.parametrize(
    ("entity", "key", "action", "unit"),
    [
        (CONTACT, "workEmail", "revealEmail", "emails"),
        (CONTACT, "privateEmail", "revealEmail", "emails"),
        (CONTACT, "workPhone", "revealPhone", "phones"),
        (COMPANY, "intent", "revealCompanyPremiumData", "intent"),
        (COMPANY, "openJobsTotal", "revealCompanyPremiumData", "openJobsTotal"),
    ],
)
def test_a_priced_cell_costs_the_paid_unit_of_its_data_point(records, entity, key, action, unit):
    (group,) = records.load(entity, [key])[key][1].groups
    assert (group.action, list(group.units)) == (action, [(entity, 1, unit)])


def test_a_do_not_call_number_says_so(records):
    found = records.load(CONTACT, ["mobilePhone", "directPhone"])
    assert found["mobilePhone"][1].note == {"doNotCall": True}
    assert not found["directPhone"][1].note


def test_records_that_do_not_exist_have_no_content(records):
    assert set(records.load(CONTACT, ["fullName"], [1, 999])["fullName"]) == {1}
    assert set(records.load(COMPANY, ["competitors", "ipoDate"], [1, 999])["ipoDate"]) == {1}


@pytest.mark.parametrize(("entity", "keys", "most"), [(CONTACT, CONTACT_KEYS, 1), (COMPANY, COMPANY_KEYS, 4)])
def test_all_columns_of_many_records_take_few_statements(records, monkeypatch, entity, keys, most):
    calls = record_statements(monkeypatch)
    records.load(entity, keys)
    assert len(calls) <= most


def test_the_kinds_are_a_service_of_the_installation(shared_service):
    kinds = shared_service.installation.get(ColumnKinds)
    column = full_records.stored_column(1, "yearFounded")
    assert kinds.of(column).value_type(column, COMPANY) == "number"


BASE = (PricedGroup("revealCompany", (Unit(UnitKind.COMPANY_DATA, 1, COMPANY_BASE),)),)
BASE_KEYS = ["yearFounded", "description", "employeeCount", "competitors", "city"]


def pay(records, unit, at):
    with records.service.database.write(account_scope(records.account)) as session:
        record_paid(AccountSession(session, records.account), [unit], "request", at)


@pytest.fixture
def new_account(records):
    """Return the records for an account that has paid for nothing."""
    return Records(records.service.with_account())


def test_base_values_cost_the_base_of_a_company_that_was_never_paid_for(new_account):
    found = new_account.load(COMPANY, [*BASE_KEYS, "name", "domain", "openJobsTotal"])
    of_base = [key for key in BASE_KEYS if find_entry(COMPANY, key) and not find_entry(COMPANY, key).unit]
    assert len(of_base) > 2
    assert {key: found[key][1].groups for key in of_base} == dict.fromkeys(of_base, BASE)
    assert found["name"][1].groups == found["domain"][1].groups == ()
    assert [group.action for group in found["openJobsTotal"][1].groups] == ["revealCompanyPremiumData"]


@pytest.mark.parametrize("paid_at", [1.0, 1_000_000_000.0])
def test_base_values_are_free_once_the_base_was_paid_at_any_time(new_account, paid_at):
    pay(new_account, BASE[0].units[0], paid_at)
    assert new_account.load(COMPANY, ["yearFounded"])["yearFounded"][1].groups == ()


def test_a_base_that_another_account_paid_is_due(records, new_account):
    pay(Records(records.service.with_account()), BASE[0].units[0], 1.0)
    assert new_account.load(COMPANY, ["yearFounded"])["yearFounded"][1].groups == BASE


def test_a_bare_company_costs_nothing(new_account):
    found = new_account.load(COMPANY, COMPANY_KEYS)
    assert {
        content.groups for contents in found.values() for number, content in contents.items() if number == 2
    } == {()}
