"""Files of people as providers: who is found by which identifier, and files that change or are none."""

import asyncio
import os
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from firmograph.waterfall.providers import person_index
from firmograph.waterfall.providers.types import Found, Miss, Person, Trouble
from waterfall.providers.asking import ask, load

pytestmark = pytest.mark.no_database

ROWS = [
    {"First Name": "Jane", "Last Name": "Doe", "Company": "Acme GmbH", "Website": "https://www.acme.com",
     "Email": "Jane@Acme.com", "Phone": "+1 415 555 0100", "LinkedIn URL": "linkedin.com/in/jane-doe"},
    {"First Name": "Bob", "Last Name": "Roe", "Company": "Globex", "Website": "",
     "Email": "", "Phone": "+1 415 555 0101", "LinkedIn URL": ""},
    {"First Name": "Bob", "Last Name": "Roe", "Company": "Initech", "Website": "",
     "Email": "", "Phone": "+1 415 555 0102", "LinkedIn URL": ""},
    {"First Name": "Bob", "Last Name": "Roe", "Company": "Initech", "Website": "",
     "Email": "", "Phone": "+1 415 555 0103", "LinkedIn URL": ""},
    {"First Name": "Eve", "Last Name": "Poe", "Company": "Acme", "Website": "",
     "Email": "jane@acme.com", "Phone": "+1 415 555 0104", "LinkedIn URL": ""},
]  # fmt: skip
PHONE = "+14155550100"


def write_csv(path, rows=ROWS):
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def provider_of(path):
    return f'[providers.p]\nkind = "file"\nfile = "{path}"\n'


@pytest.fixture
def people(tmp_path):
    return provider_of(write_csv(tmp_path / "people.csv"))


@pytest.mark.parametrize(
    "person",
    [
        Person(email="JANE@acme.com", first_name="Jane", last_name="Doe"),
        Person(linkedin_url="https://de.linkedin.com/in/jane-doe/"),
        Person(first_name="Jane", last_name="Doe", domain="acme.com"),
        Person(first_name="Jane", last_name="Doe", company="ACME"),
        Person(email="other@acme.com", first_name="Jane", last_name="Doe", company="Acme"),
    ],
)
def test_a_person_is_found_by_each_identifier(tmp_path, people, person):
    found = ask(tmp_path, people, person=person)
    assert found == Found(phones=(PHONE,), first_name="Jane", last_name="Doe")


def test_an_email_is_found_as_well(tmp_path, people):
    person = Person(first_name="Jane", last_name="Doe", company="Acme")
    assert ask(tmp_path, people, person=person, data_point="emails").emails == ("jane@acme.com",)


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (Person(email="nobody@acme.com"), "no value"),
        (Person(first_name="Jane", last_name="Doe", company="Globex"), "no value"),
        (Person(first_name="Jane", company="Acme"), "no value"),
        (Person(email="jane@acme.com", first_name="Mia", last_name="Moe"), "no value"),
        (Person(first_name="Bob", last_name="Roe", company="Initech"), "several people of that name"),
    ],
)
def test_nobody_else_is_found(tmp_path, people, person, reason):
    assert ask(tmp_path, people, person=person) == Miss(reason)


def test_parquet_and_json_lines_are_read_too(tmp_path):
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "people.parquet")
    native = (
        '{"firstName": "Jane", "lastName": "Doe", "emails": ["jane@acme.com"], "phones": ["+14155550100"]}\n'
    )
    flat = '{"first_name": "Jane", "last_name": "Doe", "email": "jane@acme.com", "phone": "+14155550100"}\n'
    (tmp_path / "native.jsonl").write_text(native)
    (tmp_path / "flat.jsonl").write_text(flat)
    for name in ("people.parquet", "native.jsonl", "flat.jsonl"):
        person = Person(email="jane@acme.com", first_name="Jane", last_name="Doe")
        assert ask(tmp_path, provider_of(tmp_path / name), person=person).phones == (PHONE,)


def test_a_number_that_is_not_to_be_called_is_left_out(tmp_path):
    row = {
        "First Name": "Jane",
        "Last Name": "Doe",
        "Email": "j@acme.com",
        "Phone": PHONE,
        "Do Not Call": "yes",
    }
    path = write_csv(tmp_path / "people.csv", [row])
    assert ask(tmp_path, provider_of(path), person=Person(email="j@acme.com")) == Miss("no value")


def test_a_file_is_read_once_and_followed_when_it_changes(tmp_path, monkeypatch):
    path = write_csv(tmp_path / "people.csv")
    provider = load(tmp_path, provider_of(path)).get("p")
    built = []
    make = person_index.PersonIndex

    def counted(*given):
        built.append(given)
        return make(*given)

    monkeypatch.setattr("firmograph.waterfall.providers.file_provider.PersonIndex", counted)
    jane = Person(linkedin_url="linkedin.com/in/jane-doe")

    async def asks():
        found = await asyncio.gather(*(provider.ask(jane, "phones", str(n)) for n in range(5)))
        changed = write_csv(tmp_path / "new.csv", [{**ROWS[0], "Phone": "+1 415 555 0199"}])
        os.replace(changed, path)
        found.append(await provider.ask(jane, "phones", "6"))
        path.unlink()
        found.append(await provider.ask(jane, "phones", "7"))
        await provider.close()
        return found

    *same, changed, gone = asyncio.run(asks())
    assert {each.phones for each in same} == {(PHONE,)}
    assert changed.phones == ("+14155550199",)
    assert gone == Trouble("file cannot be read")
    assert len(built) == 2


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x02PROVIDER-SPOKE", b"PAR1 damaged", b"a,b\nPROVIDER-SPOKE,2\n"]
)
def test_a_file_of_nobody_is_a_later_try(tmp_path, capsys, content):
    (tmp_path / "people.bin").write_bytes(content)
    found = ask(tmp_path, provider_of(tmp_path / "people.bin"), person=Person(email="a@b.co"))
    assert found == Trouble("file cannot be read")
    assert "PROVIDER-SPOKE" not in str(capsys.readouterr())


def test_a_file_of_too_many_people_is_a_later_try(tmp_path, people, monkeypatch):
    monkeypatch.setattr(person_index, "MAX_BYTES", 100)
    assert ask(tmp_path, people, person=Person(email="a@b.co")) == Trouble("file has too many people")


def test_an_ask_does_not_wait_for_ever_for_a_large_file(tmp_path, people, monkeypatch):
    release = threading.Event()

    def stuck(path, is_stopped):
        assert release.wait(30)
        raise person_index.IndexStopped

    monkeypatch.setattr("firmograph.waterfall.providers.file_provider.PersonIndex", stuck)
    provider = load(tmp_path, people).get("p")
    provider._seconds = 0.01

    async def asked():
        found = await provider.ask(Person(email="a@b.co"), "phones", "1")
        release.set()
        await provider.close()
        return found

    assert asyncio.run(asked()) == Trouble("file is being read", 5.0, counts=False)
