import demo_people
import pytest

from firmograph.directory.records import CompanyRef
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import contact, load_contacts

pytestmark = pytest.mark.any_database


def search(people, *items, **body):
    answer = people.post("/v3/contacts/search", {"contacts": list(items), **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def one(people, **item):
    """Return the last name that an item finds, or its error code."""
    (result,) = search(people, item)["results"]
    return result["error"]["code"] if "error" in result else f"{result['firstName']} {result['lastName']}"


def test_an_answer_has_a_request_id_results_and_billing(people):
    answer = people.post("/v3/contacts/search", {"contacts": [{"email": "jane@acme.example"}]})
    body = answer.json()
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": 1}


def test_a_preview_lists_available_data_without_contact_data(people):
    (result,) = search(people, {"email": "jane@acme.example", "clientReferenceId": "r-1"})["results"]
    token, employer = result.pop("id"), result["company"].pop("id")
    assert token.startswith("v1.")
    assert employer.startswith("v1.")
    assert result == {
        "clientReferenceId": "r-1",
        "firstName": "Jane",
        "lastName": "Doe",
        "jobTitle": {"title": "Chief Executive Officer"},
        "company": {"name": "Acme Inc", "domain": "acme.example", "industry": "Manufacturing"},
        "socialLinks": {"linkedin": "https://www.linkedin.com/in/jane-doe"},
        "has": ["firstName", "lastName", "jobTitle", "company", "socialLinks", "emails", "phones"],
        "canReveal": ["emails", "phones"],
    }


@pytest.mark.parametrize(
    "item",
    [
        {"email": " Jane@ACME.example "},
        {"linkedinUrl": "http://uk.linkedin.com/in/Jane-Doe/?trk=x"},
        {"firstName": "Jane", "lastName": "Doe", "companyName": "ACME"},
        {"firstName": "JANE", "lastName": "DOE", "companyName": "acme, incorporated"},
        {"firstName": "Doe", "lastName": "Jane", "companyDomain": "https://www.acme.example/about"},
        {"firstName": "Jane", "lastName": "Doe", "companyDomain": "mail.acme.example"},
        {"firstName": "Jane", "lastName": "Doe", "companyName": "Acme Rocketry"},
    ],
)
def test_a_contact_is_found_by(people, item):
    assert one(people, **item) == "Jane Doe"


def test_a_nickname_finds_its_name(people):
    assert one(people, firstName="Bob", lastName="Ray", companyName="Acme") == "Robert Ray"


@pytest.mark.parametrize(
    "item",
    [
        {"email": "nobody@acme.example"},
        {"firstName": "Jan", "lastName": "Smith", "companyName": "Acme"},
        {"firstName": "Janet", "lastName": "Doe", "companyName": "Acme"},
        {"firstName": "Jane", "lastName": "Doe", "companyName": "Rival"},
        {"id": "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
        {"id": "v9.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
        {"id": "123456789"},
    ],
)
def test_nobody_is_found_by(people, item):
    assert one(people, **item) == "NOT_FOUND"


def test_two_namesakes_at_one_employer_are_refused_rather_than_guessed(people):
    assert one(people, firstName="John", lastName="Twin", companyName="Acme") == "NOT_FOUND"


def test_a_shared_email_finds_the_person_of_the_given_name(people):
    assert one(people, email="office@acme.example", firstName="Tim", lastName="Desk") == "Tim Desk"
    assert one(people, email="office@acme.example") == "NOT_FOUND"


def test_the_first_identifier_that_resolves_decides(people):
    token = search(people, {"email": "bob@acme.example"})["results"][0]["id"]
    assert one(people, id=token, email="jane@acme.example") == "Robert Ray"
    assert (
        one(people, id="123", linkedinUrl="linkedin.com/in/jane-doe", email="bob@acme.example") == "Jane Doe"
    )
    assert (
        one(people, email="none@acme.example", firstName="Jane", lastName="Doe", companyName="Acme")
        == "Jane Doe"
    )


def test_a_token_and_the_legacy_number_are_the_same_contact(people, keyring):
    token = search(people, {"email": "jane@acme.example"})["results"][0]["id"]
    tokens = RecordIds(keyring)
    number = tokens.legacy(Entity.CONTACT, tokens.open(Entity.CONTACT, token))
    assert one(people, id=str(number)) == "Jane Doe"


def test_an_id_of_a_company_finds_no_contact(people):
    company = search(people, {"email": "jane@acme.example"})["results"][0]["company"]["id"]
    assert one(people, id=company) == "NOT_FOUND"


def test_a_missing_item_answers_its_reference_and_nothing_else(people):
    answer = search(
        people, {"email": "no@acme.example", "clientReferenceId": "x"}, {"email": "no@acme.example"}
    )
    error = {"code": "NOT_FOUND", "message": "Contact not found"}
    assert answer["results"] == [{"clientReferenceId": "x", "error": error}, {"error": error}]
    assert answer["billing"]["resultsReturned"] == 0


def test_partial_profiles_are_left_out_on_request(people):
    item = {"firstName": "Mu", "lastName": "Te", "companyName": "Acme"}
    assert one(people, **item) == "Mu Te"
    (result,) = search(people, item, options={"includePartialProfiles": False})["results"]
    assert result["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, "contacts.0 must have id, linkedinUrl, email, or firstName (and lastName) with companyName or"),
        ({"firstName": "Jane", "lastName": "Doe"}, "contacts.0 must have id"),
        ({"lastName": "Doe", "companyName": "Acme"}, "contacts.0 must have id"),
        ({"firstName": " ", "lastName": "Doe", "companyName": "Acme"}, "contacts.0 must have id"),
        ({"email": "", "id": " "}, "contacts.0 must have id"),
        ({"email": "no address"}, "contacts.0.email must be an email"),
        ({"linkedinUrl": "https://example.com/jane"}, "contacts.0.linkedinUrl must be the URL of a LinkedIn"),
        ({"linkedinUrl": "jane-doe"}, "contacts.0.linkedinUrl must be the URL of a LinkedIn"),
        ({"linkedinUrl": "in/jane-doe"}, "contacts.0.linkedinUrl must be the URL of a LinkedIn"),
        (
            {"firstName": "J", "lastName": "D", "companyDomain": "::"},
            "contacts.0.companyDomain must be a domain",
        ),
        ({"id": "jane"}, "contacts.0.id must be a record id"),
        ({"email": "jane@acme.example", "contactId": "1"}, "contacts.0.property contactId should not exist"),
    ],
)
def test_a_malformed_item_refuses_the_call_with_its_path(people, item, message):
    answer = people.post("/v3/contacts/search", {"contacts": [item]})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message)
    assert answer.json()["errors"][0] == answer.json()["message"]


@pytest.mark.parametrize("count", [0, 101])
def test_a_call_takes_1_to_100_items(people, count):
    answer = people.post("/v3/contacts/search", {"contacts": [{"email": "jane@acme.example"}] * count})
    assert answer.status_code == 400


def test_prices_are_shown_where_the_server_is_configured_to(make_service):
    service = make_service(can_reveal="priced")
    demo_people.load(service.database)
    (result,) = search(service, {"email": "jane@acme.example"})["results"]
    assert result["canReveal"] == [{"field": "emails", "credits": 1}, {"field": "phones", "credits": 5}]
    service.post("/v3/contacts/enrich", {"ids": [result["id"]], "reveal": ["phones"]})
    (result,) = search(service, {"email": "jane@acme.example"})["results"]
    assert result["canReveal"] == [{"field": "emails", "credits": 1}, {"field": "phones", "credits": 0}]


@pytest.fixture(scope="module")
def one_word_names(directory):
    """Add people with one name to the directory of the module."""
    rows = [
        contact("Suharto", "", emails=["suharto@palace.example"], company=CompanyRef(name="Palace")),
        contact("", "Teller", emails=["teller@stage.example"], company=CompanyRef(name="Stage")),
        contact("Prince", "Nelson", emails=["prince@paisley.example"], company=CompanyRef(name="Paisley")),
        contact("Maria", "Prince", emails=["maria@paisley.example"], company=CompanyRef(name="Paisley")),
    ]
    load_contacts(directory.database, "test", [(f"one-word-{place}", row) for place, row in enumerate(rows)])


@pytest.mark.parametrize("absent", [{}, {"lastName": ""}, {"lastName": " "}, {"lastName": None}])
@pytest.mark.parametrize(
    ("name", "employer"), [("Suharto", "Palace"), ("suharto", "PALACE"), ("Teller", "Stage")]
)
def test_people_with_one_name_are_found_by_it_and_their_employer(
    people, one_word_names, name, employer, absent
):
    (result,) = search(people, {"firstName": name, "companyName": employer, **absent})["results"]
    assert [result.get("firstName") or result["lastName"]] == [name.title()]


@pytest.mark.parametrize(
    ("name", "employer"), [("Prince", "Paisley"), ("Suharto", "Stage"), ("Jane", "Acme"), ("S.", "Palace")]
)
def test_one_name_finds_nobody_whose_whole_name_is_another(people, one_word_names, name, employer):
    assert one(people, firstName=name, companyName=employer) == "NOT_FOUND"
