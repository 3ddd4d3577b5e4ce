import pytest

from installation_factory import make_suppression
from record_factory import contact, load_contacts

URL = "https://www.linkedin.com/in/jane-doe"
NAMED = {"firstName": "Jane", "lastName": "Doe", "companyName": "Acme"}


@pytest.fixture
def suppression(people, keyring):
    return make_suppression(people.database, keyring, people.clock)


def code(people, **item):
    (result,) = people.post("/v3/contacts/search", {"contacts": [item]}).json()["results"]
    return result.get("error", {}).get("code", "found")


def token_of(people):
    body = people.post("/v3/contacts/search", {"contacts": [{"linkedinUrl": URL}]}).json()
    return body["results"][0]["id"]


@pytest.mark.parametrize("by", ["email", "linkedin", "id"])
def test_a_person_suppressed_by_any_identifier_is_missing_at_the_next_request(people, suppression, by):
    token = token_of(people)
    given = {"email": "jane@acme.example", "linkedin": URL, "id": token}
    assert suppression.suppress(suppression.person(**{by: given[by]})) == 1
    assert code(people, email="jane@acme.example") == "COMPLIANCE_RESTRICTED"
    assert code(people, linkedinUrl=URL) == "COMPLIANCE_RESTRICTED"
    assert code(people, id=token) == "COMPLIANCE_RESTRICTED"
    assert code(people, **NAMED) == "NOT_FOUND"


def test_no_trace_of_the_person_remains_in_the_records(people, suppression):
    suppression.suppress(suppression.person(email="jane@acme.example"))
    session = people.database.session()
    for table in ("contacts", "contact_rows"):
        for row in session.raw.execute(f"SELECT * FROM {table}"):
            assert b"jane@acme" not in b"".join(value for value in row if isinstance(value, bytes))
    count = session.raw.execute("SELECT count(*) FROM contact_keys WHERE contact_id = 1").fetchone()
    assert count == (0,)


@pytest.mark.parametrize(
    "row",
    [
        contact("J", "D", emails=["jane@acme.example"]),
        contact("J", "D", linkedin=URL),
        contact(company="ACME, Inc."),
    ],
)
def test_no_later_import_restores_the_person(people, suppression, row):
    suppression.suppress(suppression.person(linkedin=URL))
    summary = load_contacts(people.database, "later", [row])
    assert (summary.suppressed, summary.created) == (1, 0)


def test_the_same_source_id_is_suppressed_too(people, suppression):
    suppression.suppress(suppression.person(linkedin=URL))
    assert load_contacts(people.database, "test", [("jane", contact("Other", "Name"))]).suppressed == 1


def test_name_and_company_alone_do_not_block_a_row_with_a_key_of_its_own(people, suppression):
    suppression.suppress(suppression.person(linkedin=URL))
    namesake = contact(company="Acme Inc", emails=["other.jane@acme.example"])
    assert load_contacts(people.database, "later", [namesake]).created == 1


def test_a_second_record_of_the_person_is_erased_too(people, suppression):
    url = "https://www.linkedin.com/in/sam-two"
    load_contacts(people.database, "a", [contact("Sam", "Two", linkedin=url)])
    load_contacts(people.database, "a", [contact("Sam", "Two", emails=["sam@acme.example"])])
    load_contacts(people.database, "b", [contact("Sam", "Two", linkedin=url, emails=["sam@acme.example"])])
    assert suppression.suppress(suppression.person(linkedin=url)) == 2
    assert code(people, email="sam@acme.example") == "COMPLIANCE_RESTRICTED"


def test_someone_else_with_the_same_address_stays(people, suppression):
    load_contacts(
        people.database, "test", [("ann", contact("Ann", "Office", linkedin="linkedin.com/in/ann"))]
    )
    load_contacts(
        people.database,
        "more",
        [contact("Ann", "Office", linkedin="linkedin.com/in/ann", emails=["office@acme.example"])],
    )
    assert suppression.suppress(suppression.person(linkedin="linkedin.com/in/ann")) == 1
    assert code(people, firstName="Tim", lastName="Desk", companyName="Acme") == "found"


def test_the_name_and_company_of_every_row_is_suppressed(people, suppression):
    url = "https://www.linkedin.com/in/bill-roe"
    load_contacts(
        people.database, "a", [contact("Bill", "Roe", linkedin=url, company="First", day="2025-01-01")]
    )
    load_contacts(
        people.database, "b", [contact("William", "Roe", linkedin=url, company="Second", day="2025-02-01")]
    )
    suppression.suppress(suppression.person(linkedin=url))
    rows = [contact("Bill", "Roe", company="First"), contact("William", "Roe", company="Second")]
    assert load_contacts(people.database, "later", rows).suppressed == 2


def test_a_former_address_is_suppressed(people, suppression):
    url = "https://www.linkedin.com/in/jan-old"
    load_contacts(
        people.database, "a", [contact("Jan", "Old", linkedin=url, previous_emails=["jan@old.example"])]
    )
    suppression.suppress(suppression.person(linkedin=url))
    row = contact("Jan", "Old", emails=["jan@old.example"])
    assert load_contacts(people.database, "later", [row]).suppressed == 1


def test_a_person_not_yet_stored_is_suppressed(people, suppression):
    suppression.suppress(suppression.person(email="new@acme.example"))
    assert load_contacts(people.database, "later", [contact(emails=["new@acme.example"])]).suppressed == 1
    assert code(people, email="new@acme.example") == "COMPLIANCE_RESTRICTED"


def test_lifting_a_suppression_by_any_key_lets_the_next_import_restore_the_data(people, suppression):
    suppression.suppress(suppression.person(linkedin=URL))
    assert suppression.unsuppress(suppression.person(email="jane@acme.example"))
    assert code(people, linkedinUrl=URL) == "NOT_FOUND"
    load_contacts(people.database, "later", [contact(linkedin=URL)])
    assert code(people, linkedinUrl=URL) == "found"


def test_lifting_one_persons_suppression_keeps_another_of_the_same_address(people, suppression):
    url = "https://www.linkedin.com/in/ann-office"
    row = contact("Ann", "Office", linkedin=url, emails=["office@acme.example"])
    load_contacts(people.database, "test", [("ann", row)])
    suppression.suppress(suppression.person(linkedin=url))
    suppression.suppress(suppression.person(email="office@acme.example"))
    suppression.unsuppress(suppression.person(linkedin=url))
    tim = contact("Tim", "Desk", emails=["office@acme.example"])
    assert load_contacts(people.database, "later", [tim]).suppressed == 1


def test_the_record_number_of_a_suppressed_person_is_never_reused(people, suppression):
    token = token_of(people)
    suppression.suppress(suppression.person(linkedin=URL))
    load_contacts(
        people.database, "later", [contact("New", f"Person{n}", emails=[f"n{n}@x.example"]) for n in range(9)]
    )
    assert code(people, id=token) == "COMPLIANCE_RESTRICTED"
