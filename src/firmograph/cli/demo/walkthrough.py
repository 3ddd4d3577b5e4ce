"""Steps of the demonstration: lookups, signals, lookalikes, a table, visits, calls, a second server, and their cost."""

import json
import time
from pathlib import Path
from typing import Final

from firmograph.cli.demo.data_files import VISITS
from firmograph.cli.demo.installation import OWNER, Access
from firmograph.cli.demo.result_tables import (
    buying_groups,
    companies,
    conversations,
    lookalikes,
    moves,
    people,
    previews,
    prospected,
    scores,
    signals,
    table_rows,
    transcript,
    website_visits,
)
from firmograph.cli.demo.second_server import show_second_server
from firmograph.cli.demo.server import DemoServer, Json
from firmograph.cli.demo.terminal import Commands, console, print_result, print_step
from firmograph.kit.errors import Refused

_FILL_SECONDS: Final = 60
_ANALYSIS_SECONDS: Final = 300
_PAUSE_SECONDS: Final = 0.2

PEOPLE = [
    {
        "clientReferenceId": "a nickname",
        "firstName": "Chuck",
        "lastName": "Schumer",
        "companyName": "US Senate",
    },
    {
        "clientReferenceId": "accents, turned round",
        "firstName": "Velazquez",
        "lastName": "Nydia",
        "companyDomain": "house.gov",
    },
    {"clientReferenceId": "an e-mail", "email": "representative.alyse.galvin@akleg.gov"},
    {"clientReferenceId": "nobody", "firstName": "Nemo", "lastName": "Nobody", "companyName": "US Senate"},
]
COMPANIES = [
    {"clientReferenceId": "a listed company", "domain": "siemens.com"},
    {"clientReferenceId": "owned over two levels", "name": "Bureau of Justice Statistics"},
    {"clientReferenceId": "made up, with everything", "domain": "northwind.example.com"},
]
PROSPECTS = {
    "filters": {
        "contacts": {
            "include": {"jobTitles": ["state senator"], "existingDataPoints": ["phone", "work_email"]}
        },
        "companies": {"exclude": {"locations": [{"state": "Florida"}]}},
    },
    "options": {"maxContactsPerCompany": 1},
    "pagination": {"size": 10},
}
ACTIVE = [{"domain": "northwind.example.com"}, {"domain": "contoso.example.com"}, {"domain": "noaa.gov"}]
CHANGED_JOB = {
    "filters": {
        "contacts": {"include": {"signals": {"types": ["companyChange"], "startDate": "2026-01-01"}}}
    },
    "pagination": {"size": 10},
}
CHIPMAKERS = ["amd.com", "intel.com", "nvidia.com", "qualcomm.com", "broadcom.com"]
BUYERS: Json = {
    "companies": [{"domain": "northwind.example.com"}, {"domain": "contoso.example.com"}],
    "contactsLimit": 3,
}
VISITED: Json = {"startDate": "2015-05-17", "endDate": "2015-05-20"}
TALK: Json = {"query": "price security budget", "pageSize": 3}
_SHOWN_SEGMENTS: Final = 6
TOKENS = ["directParent", "ultimateParent", "openJobsTotal", "monthlyWebsiteTraffic", "competitors"]


def show(server: DemoServer, commands: Commands, access: Access, visits: Path) -> None:
    """Print each call with its answer: first those that need no index, which the server makes at the same time."""
    print_result(f"KEY={access.key}")
    walkthrough = _Walkthrough(server, commands, access)
    walkthrough.search_and_enrich()
    walkthrough.enrich_companies()
    walkthrough.show_activity()
    server.wait_for_indexes()
    prospects = walkthrough.prospect()
    walkthrough.show_lookalikes([one["id"] for one in prospects[:5]])
    walkthrough.show_buying_groups()
    walkthrough.fill_table()
    walkthrough.show_visits(visits)
    walkthrough.show_conversations()
    walkthrough.make_webhook_secret()
    show_second_server(server, access.key)
    walkthrough.show_bill()


class _Walkthrough:
    """Calls of one account, and what they cost."""

    def __init__(self, server: DemoServer, commands: Commands, access: Access) -> None:
        self._server = server
        self._commands = commands
        self._access = access

    def search_and_enrich(self) -> None:
        print_step("Search people: free, and it says what could be revealed")
        found = self._call("/v3/contacts/search", {"contacts": PEOPLE})["results"]
        console.print(previews(found))

        print_step("Enrich them: e-mails and phones, for credits")
        ids = [one["id"] for one in found if "id" in one]
        revealed = self._call("/v3/contacts/enrich", {"ids": ids})
        console.print(people(revealed["results"]))
        _print_charge(revealed)

        print_step("The same again costs nothing")
        _print_charge(self._call("/v3/contacts/enrich", {"ids": ids}))

    def enrich_companies(self) -> None:
        print_step("Companies, with owners and other premium data")
        body = {"companies": COMPANIES, "reveal": TOKENS}
        answered = self._call("/v3/companies/search-and-enrich", body)
        console.print(companies(answered["results"]))
        _print_charge(answered)

    def show_activity(self) -> None:
        print_step("How active companies are, and their signals since January 2026")
        scored = self._call("/v3/companies/signal-score", {"companies": ACTIVE})
        console.print(scores(scored["results"]))
        _print_charge(scored)
        ids = [one["id"] for one in scored["results"] if "id" in one]
        body = {
            "ids": ids,
            "signalTypes": ["allSignals"],
            "startDate": "2026-01-01",
            "maxResultsPerSignal": 2,
        }
        active = self._call("/v3/companies/signals", body)
        console.print(signals(active["results"]))
        _print_charge(active)

    def prospect(self) -> list[Json]:
        """Return the people found by their title."""
        print_step("Prospect: find people by filters; free, with an exact total")
        found = self._call("/v3/contacts/prospecting", PROSPECTS)
        results: list[Json] = found["results"]
        console.print(prospected(results))
        print_result(
            f"{len(results)} of [bold]{found['pagination']['total']}[/bold]: state senators with e-mail and phone,"
            " one per senate, none in Florida"
        )

        print_step("People who changed their job since January 2026: found by their signals")
        moved = self._call("/v3/contacts/prospecting", CHANGED_JOB)
        console.print(moves(moved["results"]))
        print_result(f"{len(moved['results'])} of [bold]{moved['pagination']['total']}[/bold]")
        return results

    def show_lookalikes(self, people_ids: list[str]) -> None:
        print_step(
            "Lookalikes: people and companies that resemble others; a session gives further ones each time"
        )
        alike = self._call("/v3/contacts/lookalike", {"seeds": {"ids": people_ids}, "limit": 3})
        console.print(lookalikes(alike["results"]))
        _print_charge(alike)
        body: Json = {"seeds": {"domains": CHIPMAKERS}, "limit": 3}
        alike = self._call("/v3/companies/lookalike", body)
        console.print(lookalikes(alike["results"]))
        body["dedupeSessionId"] = alike["dedupeSessionId"]
        further = self._call("/v3/companies/lookalike", body)
        console.print(lookalikes(further["results"]))
        _print_charge(further)

    def show_buying_groups(self) -> None:
        print_step("Who takes part when a company buys: roles from titles, the best first")
        group = self._call("/v3/contacts/buying-group", BUYERS)
        console.print(buying_groups(group["results"]))
        _print_charge(group)
        self._commands.run(
            "buying-group", "--domain", BUYERS["companies"][0]["domain"], "--limit", "1", "--explain"
        )

    def fill_table(self) -> None:
        print_step("A table: its rows come from prospecting, and a worker fills a column of e-mails")
        owner = {"owner": {"email": OWNER}}
        body = {"name": f"State senators of {self._access.account}", "visibility": "shared", **owner}
        table = str(self._call("/v3/contacts/tables", body)["data"]["tableId"])
        written = self._call("/v3/contacts/prospecting", PROSPECTS | {"tableId": table})["tableWrite"]
        print_result(f"{written['added']} rows added")
        path = f"/v3/contacts/tables/{table}"
        self._call(f"{path}/columns", {"columnKey": "workEmail", **owner})
        self._wait_until_filled(f"{path}?email={OWNER}")
        rows = self._call(f"{path}/entities?email={OWNER}")
        console.print(table_rows(rows["data"]))
        _print_charge(rows)
        self._commands.run("table", "show", table, "--rows", "3")

    def _wait_until_filled(self, path: str) -> None:
        give_up = time.monotonic() + _FILL_SECONDS
        while self._call(path)["data"]["isProcessing"]:
            if time.monotonic() > give_up:
                raise Refused("The table was not filled in time; see above")
            time.sleep(_PAUSE_SECONDS)

    def show_visits(self, log: Path) -> None:
        print_step(
            "Who visited a website: its log comes in, bots stay out, and networks of May 2015 are made up"
        )
        account = ("--account", self._access.account)
        domain = VISITS.source
        self._commands.run("visits", "track", domain, *account, "--intent", "/projects/*")
        self._commands.run("import", "visits", *account, "--domain", domain, str(log))
        self._commands.run("visits", "report", *account)
        visited = self._call("/v3/companies/website-visits", VISITED)
        console.print(website_visits(visited["results"]))

    def show_conversations(self) -> None:
        print_step(
            "Recorded calls, found by what was said: summaries, action items, coaching; none leaves the account"
        )
        self._wait_until_analysed()
        found = self._call("/v3/account/conversations/search", TALK)
        console.print(conversations(found["results"]))
        _print_charge(found)
        path = f"/v3/account/conversations/{found['results'][0]['id']}/transcript"
        said = self._call(path)["segments"]
        console.print(transcript(said[:_SHOWN_SEGMENTS]))
        print_result(f"{_SHOWN_SEGMENTS} of [bold]{len(said)}[/bold] segments")

    def _wait_until_analysed(self) -> None:
        command = ("conversations", "list", "--account", self._access.account, "--limit", "100", "--json")
        give_up = time.monotonic() + _ANALYSIS_SECONDS
        while True:
            listed = json.loads(self._commands.output(*command))["conversations"]
            if all(one["state"] == "analysed" for one in listed):
                return
            if time.monotonic() > give_up:
                raise Refused("The conversations were not analysed in time; see above")
            time.sleep(_PAUSE_SECONDS)

    def make_webhook_secret(self) -> None:
        print_step(
            "Webhooks are signed with a secret; with it, subscriptions to signals and opt-outs can be made"
        )
        self._call("/api/account/secret/regenerate", {})

    def show_bill(self) -> None:
        print_step("The bill, and the cost of the table in it")
        credits = self._call("/v3/account/usage")["credits"]
        print_result(f"{credits['used']} credits used, {credits['remaining']} of {credits['total']} left")
        command = ("ledger", "export", "--account", self._access.account)
        self._commands.print(*command, after=" | grep -E 'table:|run:'")
        for line in self._commands.output(*command).splitlines():
            if json.loads(line)["subject"]:
                console.print(line, highlight=False, soft_wrap=True, markup=False)

    def _call(self, path: str, body: Json | None = None) -> Json:
        return self._server.call(self._access.key, path, body)


def _print_charge(answered: Json) -> None:
    billing = answered["billing"]
    print_result(f"{billing['resultsReturned']} results for [bold]{billing['creditsCharged']}[/bold] credits")
