"""The command `usage`, and a month of sales over HTTP that it reports."""

import csv
import json

import pytest
from typer.testing import CliRunner

from firmograph.accounts.request_counts import RequestCounts
from firmograph.accounts.types import KeyTerms
from firmograph.cli.main import app
from firmograph.kit.clock import iso
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from record_factory import contact, load_contacts


@pytest.fixture
def command(database_url, monkeypatch):
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    return lambda *line: CliRunner().invoke(app, ["usage", *line])


def test_a_capped_key_sells_up_to_its_cap_and_the_report_has_every_call(service, command):
    names = ["ann", "bob", "eve", "dan"]
    load_contacts(
        service.database, "test", [contact(name, "Doe", emails=[f"{name}@acme.example"]) for name in names]
    )
    ids = [service.installation.record_ids.seal(Entity.CONTACT, number) for number in (1, 2, 3, 4)]
    key = service.accounts.create_key("Acme", KeyTerms("crm", daily_credits=3))
    month = iso(service.clock.seconds())[:7]

    def enrich(*numbers):
        body = {"ids": [ids[number] for number in numbers], "reveal": ["emails"]}
        return service.post("/v3/contacts/enrich", body, key=key.api_key)

    assert enrich(0, 1).headers["x-credits-charged"] == "2"
    refused = enrich(2, 3)
    assert (refused.status_code, refused.headers["x-credits-charged"]) == (402, "0")
    assert refused.json()["message"].startswith(
        f"Daily cap reached: the key {key.prefix} may spend 3 credits"
    )
    # what is paid stays free
    assert enrich(0, 1).headers["x-credits-charged"] == "0"
    assert enrich(2).headers["x-credits-charged"] == "1"
    service.installation.get(RequestCounts).save()

    result = command("report", "--month", month, "--by", "key", "--format", "csv")
    assert list(csv.DictReader(result.stdout.splitlines())) == [
        {"account": "Acme", "requests": "4", "errors": "1", "credits": "3", "key": key.prefix}
    ]
    result = command("report", "--month", month, "--json")
    assert json.loads(result.stdout) == {
        "usage": [{"account": "Acme", "requests": 4, "errors": 1, "credits": 3}]
    }
    assert command("report", "--month", month).stdout.splitlines() == [
        "ACCOUNT\tREQUESTS\tERRORS\tCREDITS",
        "Acme\t4\t1\t3",
    ]
    last_uses = {each.name: each.last_used_at for each in service.accounts.keys("Acme")}
    assert last_uses == {"": None, "crm": service.clock.seconds()}


def test_a_report_as_csv_has_no_formula_of_an_account_name(service, command):
    service.accounts.rename("Acme", "=HYPERLINK(0)")
    service.get("/account/usage")
    service.installation.get(RequestCounts).save()
    month = iso(service.clock.seconds())[:7]
    result = command("report", "--month", month, "--format", "csv")
    assert result.stdout.splitlines()[1] == "'=HYPERLINK(0),1,0,0"


def test_a_push_without_new_charges_sends_nothing(command):
    result = command("push", "http://127.0.0.1:1/events", "--json")
    assert json.loads(result.stdout) == {"sent": 0}
    assert command("push", "http://127.0.0.1:1/events").stdout == "Sent 0 events to 127.0.0.1\n"


@pytest.mark.parametrize("url", ["openmeter", "https://shop:secret@openmeter.example/events"])
def test_a_push_to_no_url_is_refused_in_one_line(command, url):
    result = command("push", url)
    assert isinstance(result.exception, Refused)
    assert "write it as https://" in result.exception.message
    assert "secret" not in result.exception.message


@pytest.mark.parametrize("line", [("--month", "2026-13"), ("--month", "2026-11", "--account", "Nobody")])
def test_an_impossible_report_is_refused_in_one_line(command, line):
    result = command("report", *line)
    assert isinstance(result.exception, Refused)
    assert ("\n" in result.exception.message, result.stdout) == (False, "")


@pytest.mark.parametrize(
    "line", [(), ("--month", "2026-11", "--by", "week"), ("--month", "2026-11", "--json", "--format", "csv")]
)
def test_wrong_usage_of_a_report_ends_with_2(command, line):
    assert command("report", *line).exit_code == 2
