"""Two servers, each a provider of the other: what one lacks the other answers, and both ledgers add up."""

import json
import random
import time

import httpx
import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

import database_fixtures
from command_fixtures import Forked
from process_server import LoadedProcess
from record_factory import KEYRING
from server_fixtures import Server, eventually, free_port

PRICE = 8
"""Credits that each server asks its customers for a phone of the other."""
LEASE_SECONDS = 1.5
PROGRAM = f"""
from firmograph.database import leases
from firmograph.waterfall.asks import choice
leases.LEASE_SECONDS = {LEASE_SECONDS}
choice.REST_SECONDS = 0.1
choice.RETRY_SECONDS = (0.1,)
choice.MOST_ATTEMPTS = 10_000
from firmograph.cli.main import run
run()
"""
"""`firmograph` with short leases, which asks a provider that does not answer again without end."""
PEOPLE, KILLS = 40, 6
RATE = 8
"""Asks a second, so that some are open at every kill."""
CUSTOMER, PARTNER = "Customer", "Partner"

pytestmark = pytest.mark.slow("two servers", "waterfall", "jobs", "billing", "enrichment")


class ImpatientCommand(Forked):
    """Commands of which `start` runs the program above."""

    def start(self, *arguments, **environment):
        return LoadedProcess(
            ["-c", PROGRAM, *arguments], cwd=self.folder, env=self.environment | environment, stderr=-3
        )


class Party:
    """A server with a database of its own, a customer, and the other server as an account."""

    def __init__(self, folder, name, kind=Forked):
        self.folder = folder / name
        self.folder.mkdir()
        self.port = free_port()
        self.database_url = database_fixtures.fresh(self.folder, name)
        self.command = kind(self.folder, self.database_url)
        self.command.environment |= {
            "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
            "FIRMOGRAPH_LOG_LEVEL": "error",
        }
        self.key, self.partner_key = self._new_key(CUSTOMER), self._new_key(PARTNER)

    def load(self, *people):
        """Import people of the form (name, phone or None)."""
        file = self.folder / "people.jsonl"
        rows = [
            {
                "firstName": name,
                "lastName": "Doe",
                "linkedinUrl": f"https://www.linkedin.com/in/{name.lower()}-doe",
                "company": {"name": "Acme Inc", "domain": "acme.example"},
            }
            | ({"phones": [phone]} if phone else {})
            for name, phone in people
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self._run("import", "contacts", str(file), "--source", "people")

    def connect(self, other, **environment):
        """Ask the other one for what both of the own accounts lack, which alone could make a circle."""
        file = self.folder / "providers.toml"
        file.write_text(
            f'[providers.sister]\nkind = "firmograph"\nurl = "http://127.0.0.1:{other.port}"\ninsecure = true\n'
            f'key = "env:SISTER_KEY"\nprices = {{phones = {PRICE}}}\nrate_per_second = {RATE}\n'
        )
        self.command.environment |= {
            "FIRMOGRAPH_PROVIDERS_FILE": str(file),
            "SISTER_KEY": other.partner_key,
            **environment,
        }
        for account in (CUSTOMER, PARTNER):
            self._run("waterfall", "enable", "sister", "--account", account)

    def start(self):
        self.server = Server(self.command, self.port)
        return self.server

    def kill(self):
        self.server.process.kill()
        self.server.process.wait()

    def post(self, path, body):
        answer = httpx.post(self.server.url + path, json=body, headers={"api_key": self.key})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def enrich(self, *names):
        """Return the answer of an enrich of these people."""
        pages = [{"linkedinUrl": f"https://www.linkedin.com/in/{name.lower()}-doe"} for name in names]
        found = self.post("/v3/contacts/search", {"contacts": pages})["results"]
        return self.post("/v3/contacts/enrich", {"ids": [one["id"] for one in found], "reveal": ["phones"]})

    def job(self, enriched):
        path = f"{self.server.url}/v3/contacts/jobs/{enriched['job']['id']}"
        answer = httpx.get(path, headers={"api_key": self.key})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ended_job(self, enriched):
        """Poll the job of an answer to its end."""
        eventually(lambda: self.job(enriched)["status"] == "complete", "the job did not end")
        return self.job(enriched)

    def ledger(self, account):
        """Return kind, action and credits of all rows but the first grant."""
        lines = self._run("ledger", "export", "--account", account).splitlines()
        rows = [json.loads(line) for line in lines]
        return [(row["kind"], row["action"], row["credits"]) for row in rows if row["kind"] != "grant"]

    def used(self, account):
        """Return used and held credits."""
        accounts = json.loads(self._run("account", "list", "--json"))["accounts"]
        (found,) = [one for one in accounts if one["name"] == account]
        credits = found["credits"]
        return credits["used"], credits["total"] - credits["used"] - credits["remaining"]

    def answered(self):
        """Return how often the other server has asked this one since its start."""
        text = httpx.get(f"{self.server.url}/metrics").text
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        return sum(
            sample.value
            for sample in samples
            if sample.name == "firmograph_requests_total"
            and sample.labels["endpoint"] == "search_and_enrich_contacts"
        )

    def asks(self, account):
        """Return the outcomes of the asks of an account and their numbers."""
        report = json.loads(self._run("waterfall", "report", "--account", account, "--json"))
        return {name: number for line in report for name, number in line["outcomes"].items()}

    def _new_key(self, account):
        self._run("account", "create", account, "--credits", "10000")
        return json.loads(self._run("key", "create", "--account", account, "--json"))["apiKey"]

    def _run(self, *arguments):
        done = self.command(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def connected(tmp_path):
    """Return a function that starts two servers with these people, each a provider of the other."""
    parties = []

    def start(first_people, second_people, kind=Forked):
        first, second = Party(tmp_path, "first", kind), Party(tmp_path, "second", kind)
        parties.extend((first, second))
        for party, people in ((first, first_people), (second, second_people)):
            party.load(*people)
        # the first answers at once with a job, the second when it has asked
        first.connect(second, FIRMOGRAPH_WATERFALL_WAIT_SECONDS="0")
        second.connect(first)
        for server in [party.start() for party in parties]:
            server.wait_until_ready()
        return first, second

    yield start
    for party in parties:
        if hasattr(party, "server"):
            party.kill()
        database_fixtures.drop(party.database_url)


def test_each_of_two_servers_answers_what_the_other_lacks_and_nobody_asks_in_circles(connected):
    first, second = connected(
        [("Ann", None), ("Bob", "+1 202 555 0102"), ("Cid", None)],
        [("Ann", "+1 202 555 0101"), ("Bob", None), ("Cid", None)],
    )
    polled = first.enrich("Ann", "Cid")
    assert (polled["status"], polled["statusReason"]) == ("partial", "PENDING")
    ann, cid = first.ended_job(polled)["contacts"]
    (phone,) = ann["phones"]
    assert (phone["number"], phone["dataSource"], phone["credits"]) == ("+12025550101", "sister", PRICE)
    assert cid["missingDataPoints"] == [{"type": "phone", "status": "NOT_FOUND"}]

    answered = second.enrich("Bob")
    assert answered["status"] == "completed"
    (phone,) = answered["results"][0]["phones"]
    assert (phone["number"], phone["dataSource"]) == ("+12025550102", "sister")

    # a customer pays for matches, as the server does at the other, and what neither has costs nothing
    assert sorted(first.ledger(CUSTOMER)) == [
        ("capture", "waterfallPhone", PRICE),
        ("hold", "waterfallPhone", PRICE),
        ("hold", "waterfallPhone", PRICE),
        ("release", "waterfallPhone", PRICE),
    ]
    assert [row[0] for row in second.ledger(CUSTOMER)] == ["hold", "capture"]
    for party in (first, second):
        assert party.used(CUSTOMER) == (PRICE, 0)
        ((kind, action, credits),) = party.ledger(PARTNER)
        assert (kind, action) == ("charge", "revealPhone")
        assert party.used(PARTNER) == (credits, 0)
        assert party.asks(PARTNER) == {}
    assert first.asks(CUSTOMER) == {"match": 1, "no value": 1}
    assert second.asks(CUSTOMER) == {"match": 1}
    assert (first.answered(), second.answered()) == (1, 2)


def test_two_servers_killed_while_one_asks_the_other_lose_no_ask_and_pay_nothing_twice(connected):
    names = [f"P{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(PEOPLE)]
    phones = [f"+1 202 555 01{n:02}" if n % 2 else None for n in range(PEOPLE)]
    first, second = connected(
        [(name, None) for name in names], list(zip(names, phones, strict=True)), ImpatientCommand
    )
    enriched = first.enrich(*names)
    moments = random.Random(7)
    for kill in range(KILLS):
        party = (first, second)[kill % 2]
        assert first.job(enriched)["status"] == "processing"
        time.sleep(moments.uniform(0, 0.3))
        party.kill()
        party.start().wait_until_ready()
    contacts = first.ended_job(enriched)["contacts"]
    assert [bool(one["phones"]) for one in contacts] == [bool(phone) for phone in phones]

    paid = PEOPLE // 2
    captured = [row for row in first.ledger(CUSTOMER) if row[0] == "capture"]
    assert captured == [("capture", "waterfallPhone", PRICE)] * paid
    assert first.used(CUSTOMER) == (PRICE * paid, 0)
    charged = second.ledger(PARTNER)
    assert [row[:2] for row in charged] == [("charge", "revealPhone")] * paid
    assert second.used(PARTNER) == (sum(row[2] for row in charged), 0)
    assert second.asks(PARTNER) == {}
