"""Columns to fields: guesses from the header, mapping files and their errors."""

from pathlib import Path

import pytest

from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.header_names import (
    _columns_file,
    export_tools,
    general_names,
    nearest_field,
    plain_name,
)
from firmograph.ingest.reading.mapping import (
    NO_MAPPING,
    ROW_TYPES,
    ColumnMapping,
    build_object_layout,
    build_table_layout,
    load_mapping,
    native_record,
    unused_columns,
)
from firmograph.ingest.reading.row_layout import Layout
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

FILE = Path("people.csv")


def guessed(header: str, entity: Entity = Entity.CONTACT, mapping: ColumnMapping = NO_MAPPING) -> Layout:
    return build_table_layout(header.split(","), mapping, entity, FILE)


def mapping_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "map.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_columns_of_a_sales_export_are_recognised():
    layout = guessed(
        "First Name,Last Name,Title,Email,Mobile Phone,Work Direct Phone,Company Name,Website,"
        "Person Linkedin Url,Company Linkedin Url,City,State,Country,# Employees"
    )
    record = layout.build_record(
        ["Jane", "Doe", "CEO", "j@x.example.com", "+14155550101", "+14155550102", "X", "x.example.com",
         "linkedin.com/in/j", "linkedin.com/company/x", "Austin", "TX", "US", "12"]
    )  # fmt: skip
    assert record == {
        "firstName": "Jane",
        "lastName": "Doe",
        "jobTitle": {"title": "CEO"},
        "emails": [{"email": "j@x.example.com"}],
        "phones": [
            {"number": "+14155550101", "type": "mobile"},
            {"number": "+14155550102", "type": "direct"},
        ],
        "company": {"name": "X", "domain": "x.example.com", "linkedinUrl": "linkedin.com/company/x"},
        "socialLinks": {"linkedin": "linkedin.com/in/j"},
        "location": {"city": "Austin", "state": "TX", "country": "US"},
        "employer": {"employeeCount": "12"},
    }
    assert unused_columns(layout) == []


def test_the_columns_of_a_company_export_are_recognised():
    header = (
        "Company Name,Company Domain,Industry,# Employees,Annual Revenue,Founded Year,SIC Code 1,SIC Code 2,"
        "Technologies,LinkedIn,Company Phone,HQ Country"
    )
    layout = guessed(header, Entity.COMPANY)
    values = "X,x.example.com,Software,51-200,$10M,1999,7372,7371,Go; Rust,linkedin.com/company/x,+1 415 555 0100,DE"
    record = layout.build_record(values.split(","))
    assert record == {
        "name": "X",
        "domain": "x.example.com",
        "industry": "Software",
        "employeeCount": "51-200",
        "revenueRange": "$10M",
        "yearFounded": "1999",
        "sicCodes": ["7372", "7371"],
        "technologies": "Go; Rust",
        "socialLinks": {"linkedin": "linkedin.com/company/x"},
        "phones": ["+1 415 555 0100"],
        "location": {"country": "DE"},
    }


def test_case_spaces_underscores_and_a_trailing_number_are_ignored():
    layout = guessed("FIRST_NAME,last-name,e_mail,Email 2,email3")
    assert layout.build_record(["J", "D", "a@x.test", "", "c@x.test"]) == {
        "firstName": "J",
        "lastName": "D",
        "emails": [{"email": "a@x.test"}, {"email": "c@x.test"}],
    }


def test_columns_named_like_fields_of_the_native_record_are_those_fields():
    layout = guessed(
        "sourceId,emails.1.email,emails.0.email,jobTitle.title,previousEmployment.0.company.name"
    )
    assert layout.build_record(["7", "b@x.test", "a@x.test", "CEO", "Acme"]) == {
        "sourceId": "7",
        "emails": [{"email": "a@x.test"}, {"email": "b@x.test"}],
        "jobTitle": {"title": "CEO"},
        "previousEmployment": [{"company": {"name": "Acme"}}],
    }


def test_the_best_known_nonblank_column_of_several_for_one_field_is_used():
    layout = guessed("Website,Company Domain,Email")
    assert layout.build_record(["web.example.com", "dom.example.com", ""]) == {
        "company": {"domain": "dom.example.com"}
    }
    assert layout.build_record(["web.example.com", " ", ""]) == {"company": {"domain": "web.example.com"}}


def test_a_column_for_a_whole_gives_way_to_columns_for_its_parts():
    layout = guessed("company,website,jobTitle,seniority,location,country,Email")
    assert layout.build_record(["Acme", "acme.example.com", "CEO", "9", "Bonn or so", "DE", ""]) == {
        "company": {"name": "Acme", "domain": "acme.example.com"},
        "jobTitle": {"title": "CEO", "seniority": "9"},
        "location": {"country": "DE"},
    }
    assert unused_columns(layout) == ["location"]
    alone = guessed("fullName,company,location")
    assert alone.build_record(["Jane Doe", "Acme", "Bonn"]) == {
        "fullName": "Jane Doe",
        "company": "Acme",
        "location": "Bonn",
    }


def test_do_not_call_columns_apply_to_all_numbers_or_to_the_named_one():
    layout = guessed(
        "Phone 1,Phone 2,Cell,Do Not Call,TPS,Phone 2 DNC,Mobile Do-Not-Call Flag,DNC Date,Email"
    )
    assert layout.build_record(["1", "2", "3", "no", "", "y", "n", "2025-01-01", ""]) == {
        "phones": [
            {"number": "1"},
            {"number": "2", "doNotCall": "y"},
            {"number": "3", "doNotCall": "n", "type": "mobile"},
        ],
        "doNotCall": ["no"],
    }
    assert unused_columns(layout) == ["DNC Date"]


@pytest.mark.parametrize("entity", list(Entity))
def test_no_column_name_stands_for_two_fields(entity):
    languages = _columns_file().contacts if entity is Entity.CONTACT else _columns_file().companies
    found = {}
    for section in languages.values():
        for path, names in section.items():
            for name in names:
                assert found.setdefault(plain_name(name), path) == path, name


@pytest.mark.parametrize("entity", list(Entity))
def test_every_guess_leads_to_a_field(entity):
    for names in (general_names(entity), *(tool.names for tool in export_tools(entity))):
        for name, guess in names.items():
            path = guess.path.replace("+", "0")
            assert not path or field_kind(ROW_TYPES[entity], path), name


def test_an_unrecognisable_header_is_refused_with_what_to_do():
    with pytest.raises(Refused) as refusal:
        guessed("Vorwahl,City,Telefon")
    message = refusal.value.message
    assert "Vorwahl, City, Telefon" in message
    assert "City (location.city)" in message
    assert "--mapping" in message
    assert '"Column" = "emails.0.email"' in message


def test_a_mapping_names_columns_constants_and_the_separator(tmp_path):
    path = mapping_file(
        tmp_path,
        """
        [columns]
        "E-mail (office)" = "emails.0.email"
        "Firma" = "company.name"
        "Kann" = "skills"
        "Email" = ""
        [constants]
        "emails.0.type" = "work"
        "location.country" = "Germany"
        [options]
        separator = "/"
        """,
    )
    layout = guessed("E-mail (office),Firma,Kann,Email,City", mapping=load_mapping(path, Entity.CONTACT))
    assert layout.build_record(["a@x.test", "Acme", "Go/Rust", "not@taken.test", "Bonn"]) == {
        "emails": [{"email": "a@x.test", "type": "work"}],
        "company": {"name": "Acme"},
        "skills": ["Go", "Rust"],
        "location": {"city": "Bonn", "country": "Germany"},
    }


def test_a_constant_in_a_list_needs_its_item(tmp_path):
    path = mapping_file(tmp_path, '[constants]\n"emails.0.type" = "work"\n"phones.0.type" = "direct"')
    layout = guessed("Name,Email,Phone", mapping=load_mapping(path, Entity.CONTACT))
    assert layout.build_record(["Jane Doe", "", "+14155550101"]) == {
        "fullName": "Jane Doe",
        "phones": [{"number": "+14155550101", "type": "direct"}],
    }


def test_guessing_can_be_turned_off(tmp_path):
    path = mapping_file(tmp_path, '[columns]\n"Mail" = "emails.0.email"\n[options]\nguess = false')
    layout = guessed("Mail,City", mapping=load_mapping(path, Entity.CONTACT))
    assert layout.build_record(["a@x.test", "Bonn"]) == {"emails": [{"email": "a@x.test"}]}


def test_guessed_items_of_a_list_follow_mapped_ones():
    mapping = ColumnMapping(columns={"Main": "emails.0.email"})
    layout = guessed("Email,Main", mapping=mapping)
    assert layout.build_record(["b@x.test", "a@x.test"]) == {
        "emails": [{"email": "a@x.test"}, {"email": "b@x.test"}]
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[columns]\n"A" = "emails.0.mail"', "'emails.0.mail', which is no field of a contact"),
        ('[constants]\n"employeeCount" = 3', "no field of a contact"),
        ('[colums]\n"A" = "firstName"', "may contain only columns, constants and options"),
        ("[columns", "not TOML"),
        ('[columns]\n"A" = 3', "may contain only columns"),
    ],
)
def test_an_invalid_mapping_is_refused(tmp_path, text, message):
    with pytest.raises(Refused, match=message):
        load_mapping(mapping_file(tmp_path, text), Entity.CONTACT)


def test_a_missing_mapping_is_refused(tmp_path):
    with pytest.raises(Refused, match="cannot be read"):
        load_mapping(tmp_path / "no.toml", Entity.CONTACT)


def test_a_mapping_with_an_unknown_column_is_refused():
    with pytest.raises(Refused, match="no column 'Mail', which the mapping names; it has: Email, Name"):
        guessed("Email,Name", mapping=ColumnMapping(columns={"Mail": "emails.0.email"}))


def test_json_lines_are_native_without_a_mapping_and_keep_their_other_fields_with_one():
    assert build_object_layout(NO_MAPPING, Entity.CONTACT) is None
    layout = build_object_layout(
        ColumnMapping(columns={"contact.mail": "emails.0.email", "vor": "firstName"}), Entity.CONTACT
    )
    assert layout is not None
    assert native_record(layout, {"contact": {"mail": "a@x.test"}, "vor": "Jane", "lastName": "Doe"}) == {
        "emails": [{"email": "a@x.test"}],
        "firstName": "Jane",
        "lastName": "Doe",
        "contact": {"mail": "a@x.test"},
    }


@pytest.mark.parametrize(
    "header",
    [
        "Vorname,Name,Firma,Position,E-Mail,Handy,Ort,Nicht anrufen",
        "Prénom,Nom,Société,Fonction,Courriel,Portable,Ville,Ne pas appeler",
        "Nombre,Apellidos,Empresa,Cargo,Correo electrónico,Móvil,Ciudad,No llamar",
        "Nome,Cognome,Azienda,Ruolo,Posta elettronica,Cellulare,Città,Non chiamare",
        "Voornaam,Achternaam,Bedrijf,Functie,E-mailadres,Mobiel,Plaats,Niet bellen",
        "Nome,Sobrenome,Empresa,Cargo,Correio eletrónico,Celular,Cidade,Não ligar",
    ],
)
def test_headers_of_six_other_languages_are_recognised(header):
    layout = guessed(header)
    row = layout.build_record(["Jo", "Doe", "Acme", "CEO", "jo@acme.example", "+12025550101", "Rio", "1"])
    names = {row.pop(name) for name in ("firstName", "lastName", "fullName") if name in row}
    assert names == {"Jo", "Doe"}
    assert row == {
        "company": {"name": "Acme"},
        "jobTitle": {"title": "CEO"},
        "emails": [{"email": "jo@acme.example"}],
        "phones": [{"number": "+12025550101", "type": "mobile"}],
        "location": {"city": "Rio"},
        "doNotCall": ["1"],
    }


@pytest.mark.parametrize("name", ["REVENUE (IN 000S USD)", "Revenue (in thousands)"])
def test_figures_of_a_column_in_thousands_are_multiplied(name):
    mapping = ColumnMapping(columns={name: "revenueRange"})
    layout = guessed(f"Company Name,{name}", Entity.COMPANY, mapping)
    assert layout.build_record(["Acme", "$1,500.5"])["revenueRange"] == "1500500"
    assert layout.build_record(["Acme", "a lot"])["revenueRange"] == "a lot"


CONSENTS = [
    "Marketing Consent", "Phone Consent", "Consent to Call", "Call Opt In", "Opted In to Calls", "Phone Opt-In",
    "Has Opted In to Calls", "Permission to Call", "OK to Call", "Allow Phone Calls", "Do Not Call Consent",
    "Mobile DNC Consent", "GDPR Consent", "Email Opt Out", "Has Opted Out of Email", "SMS Opt Out", "Do Not Email",
    "Do Not Mail", "Fax Opt Out", "Do Not Call Date", "Einwilligung Anruf", "Telefonanrufe zulassen",
    "Autoriser les appels téléphoniques", "Permiso para llamar", "Consenso chiamate", "Toestemming bellen",
]  # fmt: skip


@pytest.mark.parametrize("header", CONSENTS)
def test_a_consent_mark_is_no_mark_of_numbers_and_is_not_guessed_as_one(header):
    layout = guessed(f"First Name,Last Name,Email,Phone,Mobile Phone,{header}")
    assert not [column.path for column in layout.columns if "doNotCall" in column.path]
    assert "doNotCall" not in nearest_field(header, Entity.CONTACT)


@pytest.mark.parametrize(
    "header", ["Do not call?!s", "Do Not Call Flg", "Donot Call Status", "Call Opt Outs"]
)
def test_a_misspelt_mark_of_numbers_is_guessed_as_one(header):
    assert nearest_field(header, Entity.CONTACT) == "doNotCall.+"


@pytest.mark.parametrize(
    ("header", "entity", "fields"),
    [
        ("Record ID,First Name,Associated Company (Primary),Associated Company IDs (Primary)", Entity.CONTACT,
         {"sourceId", "company.name", "employer.sourceId"}),
        ("Record ID - Contact,First Name,Primary Company,Primary Associated Company ID", Entity.CONTACT,
         {"sourceId", "company.name", "employer.sourceId"}),
        ("Record ID - Company,Company name", Entity.COMPANY, {"sourceId", "name"}),
        ("Given Name,E-mail 1 - Value,Website 1 - Value", Entity.CONTACT, {"personalSite"}),
        ("First Name,E-mail Address,Job Title,Business Phone,Web Page", Entity.CONTACT, {"personalSite"}),
        ("LastName,MasterRecordId,Ticker Symbol", Entity.CONTACT, {"employer.stockSymbols"}),
        ("Account Name,Billing Street,Ticker Symbol", Entity.COMPANY, {"stockSymbols"}),
        ("Email,Latest Funding,Latest Funding Amount,Last Raised At", Entity.CONTACT,
         {"employer.funding.lastRoundType", "employer.funding.lastRoundAmount", "employer.funding.lastRoundDate"}),
        ("Company,Latest Funding,Latest Funding Amount,Last Raised At", Entity.COMPANY,
         {"funding.lastRoundType", "funding.lastRoundAmount", "funding.lastRoundDate"}),
        ("Company,Latest Funding Round,Last Round Amount,Latest Funding Date", Entity.COMPANY,
         {"funding.lastRoundType", "funding.lastRoundAmount", "funding.lastRoundDate"}),
    ],
)  # fmt: skip
def test_headings_of_known_tools_are_fields(header, entity, fields):
    layout = guessed(header, entity)
    assert fields <= {column.path for column in layout.columns}
