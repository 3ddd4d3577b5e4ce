"""Keys of split rows: they move with their rows, or stay if rows of both records have them."""

import json

import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyLinks, CompanyRef
from firmograph.directory.row_keys import company_row_keys, contact_row_keys
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts, prepared_company
from stored_records import employers, stored_companies, stored_contacts

TOKENS = RecordIds(KEYRING)
PAGE, OWN = "https://www.linkedin.com/in/front-desk", "https://www.linkedin.com/in/jane-doe"
PAGE_OF_JANE = DIGESTS.contact_page_name(DIGESTS.contact_linkedin("in/front-desk"), "jane doe")
MAIL = "desk@acme.example"
ACME, TOOLS = CompanyRef(name="Acme", domain="acme.example"), CompanyRef(name="Tools", domain="tools.example")


@pytest.fixture
def records(database):
    return RecordSplitter(database, Digests(KEYRING), RecordIds(KEYRING), SetClock())


def split(records, entity, number, *rows):
    return records.split(TOKENS.seal(entity, number), rows)


def holders(database, of):
    """Return the records of each key."""
    found = {}
    for digest, number in database.session().raw.execute(f"SELECT digest, {of}_id FROM {of}_keys ORDER BY 2"):
        found.setdefault(bytes(digest), []).append(number)
    return found


def company(name, domain=None, page=None, **fields):
    links = CompanyLinks(linkedin=f"https://www.linkedin.com/company/{page}") if page else None
    return Company(name=name, domain=domain, social_links=links, **fields)


def test_every_key_of_a_contact_moves_with_its_row(database, records):
    remaining = contact(emails=[MAIL, "jane@acme.example"], linkedin=PAGE, company=ACME)
    moved = contact("J.", emails=[MAIL, "info@b.example"], linkedin=PAGE, company=TOOLS)
    load_contacts(database, "a", [("1", remaining)])
    load_contacts(database, "b", [("2", moved)])
    split(records, Entity.CONTACT, 1, "b/2")
    remaining_keys, moved_keys = (
        contact_row_keys(DIGESTS, "a", "1", remaining),
        contact_row_keys(DIGESTS, "b", "2", moved),
    )
    found = holders(database, "contact")
    assert {key: found.pop(key) for key in dict.fromkeys(remaining_keys + moved_keys)} == {
        DIGESTS.contact_source("a", "1"): [1],
        DIGESTS.contact_source("b", "2"): [2],
        DIGESTS.contact_linkedin("in/front-desk"): [1],
        DIGESTS.contact_email(MAIL): [1, 2],
        DIGESTS.contact_email("jane@acme.example"): [1],
        DIGESTS.contact_email("info@b.example"): [2],
    }
    assert found.pop(DIGESTS.contact_mailbox(MAIL)) == [1, 2]
    assert found.pop(DIGESTS.contact_mailbox("jane@acme.example")) == [1]
    page_of_j = DIGESTS.contact_page_name(DIGESTS.contact_linkedin("in/front-desk"), "j doe")
    assert found.pop(page_of_j) == [2]
    assert sorted(found.values()) == [[1], [2]], "keys of their names at their employers"


def test_every_key_of_a_company_moves_with_its_row(database, records):
    remaining = company("Acme", "acme.example", "acme", alternative_names=["ACM"])
    moved = company(
        "Müller Tools",
        "b.tools.example",
        "acme",
        alternative_names=["MT"],
        alternative_domains=["mt.example"],
    )
    load_companies(database, "a", [("1", remaining)])
    load_companies(database, "b", [("2", moved)])
    split(records, Entity.COMPANY, 1, "b/2")
    remaining_keys = company_row_keys(DIGESTS, "a", "1", remaining).all()
    moved_keys = company_row_keys(DIGESTS, "b", "2", moved).all()
    assert remaining_keys & moved_keys == {DIGESTS.company_linkedin("company/acme")}
    assert holders(database, "company") == {key: [1] for key in remaining_keys} | {
        key: [2] for key in moved_keys - remaining_keys
    }


def test_a_name_on_another_persons_page_moves_with_its_row(database, records):
    load_contacts(database, "a", [contact("Bob", "Stone", emails=["bob@acme.example"], linkedin=PAGE)])
    load_contacts(database, "b", [("2", contact(emails=[MAIL], linkedin=PAGE))])
    load_contacts(database, "c", [("3", contact("J.", emails=[MAIL], title="Chair"))])
    assert holders(database, "contact")[PAGE_OF_JANE] == [2]
    split(records, Entity.CONTACT, 2, "b/2")
    assert holders(database, "contact")[PAGE_OF_JANE] == [3]
    load_contacts(database, "d", [("4", contact(linkedin=PAGE, title="Dean"))])
    assert stored_contacts(database)[3][0].job_title.title == "Dean"


def test_a_name_on_another_persons_page_stays_if_rows_of_both_have_it(database, records):
    load_contacts(database, "a", [contact("Bob", "Stone", emails=["bob@acme.example"], linkedin=PAGE)])
    for source, title in (("b", "Dean"), ("c", "Chair")):
        load_contacts(database, source, [("2", contact(emails=[MAIL], linkedin=PAGE, title=title))])
    split(records, Entity.CONTACT, 2, "c/2")
    assert holders(database, "contact")[PAGE_OF_JANE] == [2]


def test_a_row_of_another_source_finds_its_record_by_its_name_on_a_shared_page(database, records):
    load_contacts(database, "a", [("1", contact(emails=["jane@acme.example"], linkedin=PAGE))])
    load_contacts(database, "b", [("2", contact("Joan", emails=["joan@acme.example"], linkedin=PAGE))])
    split(records, Entity.CONTACT, 1, "b/2")
    load_contacts(database, "c", [("3", contact("Joan", linkedin=PAGE, title="Chair"))])
    load_contacts(database, "d", [("4", contact("Jane", linkedin=PAGE, title="Dean"))])
    titles = {number: record.job_title.title for number, (record, _) in stored_contacts(database).items()}
    assert titles == {1: "Dean", 2: "Chair"}


def test_former_versions_of_a_company_known_by_name_alone_move_with_their_row(database, records):
    first, later = (company("Acme Tools", alternative_names=[name]) for name in ("AT", "ATC"))
    load_companies(database, "a", [("1", company("Acme Tools", "tools.example"))])
    load_companies(database, "b", [first])
    load_companies(database, "b", [later])
    version = DIGESTS.company_version("b", prepared_company(first, "b").version.hex())
    assert holders(database, "company")[version] == [1]
    split(records, Entity.COMPANY, 1, "b/")
    assert holders(database, "company")[version] == [2]
    assert load_companies(database, "b", [first, later]).unchanged == 2


@pytest.mark.parametrize(
    ("ref", "moves"),
    [
        (TOOLS, True),
        (CompanyRef(name="Acme Tools"), True),
        (CompanyRef(name="Tools", linkedin_url="https://www.linkedin.com/company/acme"), False),
    ],
    ids=["domain", "name", "page of both"],
)
def test_a_link_to_a_company_follows_the_key_it_uses(database, records, ref, moves):
    load_contacts(database, "crm", [("1", contact("Ada", "Quill", company=ref))])
    load_companies(database, "b", [("2", company("Acme Tools", "tools.example", "acme"))])
    load_companies(database, "a", [("1", company("Acme", "acme.example", "acme"))])
    done = split(records, Entity.COMPANY, 1, "b/2")
    assert (len(done.moved), done.contacts) == ((2, 1) if moves else (1, 0))
    assert {number: record.domain for number, record in stored_companies(database).items()} == {
        1: "acme.example",
        2: "tools.example",
    }
    assert employers(database) == [("Quill", "Acme Tools" if moves else "Acme")]


def test_employer_facts_from_contacts_move_with_their_row_and_stay_separate(database, records, tmp_path):
    page = "https://www.linkedin.com/company/acme"
    firms = [{"sourceId": str(n), "name": f"Acme {n}", "linkedinUrl": page} for n in (1, 2)]
    people = [
        {
            "fullName": "Ada Quill",
            "sourceId": "7",
            "company": {"name": "Acme 2"},
            "employer": {"sourceId": "2", "industry": "Software"},
        }
    ]

    def load(entity, source, rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        job = ImportTask(entity=entity, paths=[str(path)], source=source, keyring=KEYRING)
        return import_files(database, job, SetClock(), lambda file, reject: None, lambda progress: None)

    load(Entity.COMPANY, "a", firms[:1])
    load(Entity.COMPANY, "b", firms[1:])
    load(Entity.CONTACT, "b", people)
    rows = records.show(TOKENS.seal(Entity.COMPANY, 1)).rows
    assert [row.name() for row in rows] == ["a/1", "b/2", "b/2 (contacts)"]
    assert split(records, Entity.COMPANY, 1, "b/2").moved == ["b/2", "b/2 (contacts)"]
    newer = [{**people[0], "employer": {"sourceId": "2", "yearFounded": 1999}}]
    assert load(Entity.CONTACT, "b", newer).employers == 1
    assert employers(database) == [("Quill", "Acme 2")]
    assert stored_companies(database)[2].year_founded == 1999


def test_contacts_linked_by_a_moved_key_move_with_it(database, records):
    load_companies(database, "a", [("1", company("Acme", "acme.example", "acme"))])
    load_companies(database, "b", [("2", company("Acme Tools", "tools.example", "acme"))])
    people = [
        ("1", contact("Ada", "Quill", company=TOOLS)),
        ("2", contact("Bo", "Vance", company=CompanyRef(name="Acme Tools"))),
        ("3", contact("Cy", "Moss", company=ACME)),
        ("4", contact("Di", "Lark", company=CompanyRef(name="Acme"))),
    ]
    load_contacts(database, "crm", people)
    assert split(records, Entity.COMPANY, 1, "b/2").contacts == 2
    assert employers(database) == [
        ("Lark", "Acme"),
        ("Moss", "Acme"),
        ("Quill", "Acme Tools"),
        ("Vance", "Acme Tools"),
    ]
    assert load_contacts(database, "crm", people).unchanged == 4
    newer = contact("Ada", "Quill", company=TOOLS, title="Chair")
    assert load_contacts(database, "crm", [("1", newer)]).updated == 1
    assert stored_contacts(database)[1][0].previous_employment == []
