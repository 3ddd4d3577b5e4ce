"""Show the service on the demo data: load, serve, search, prospect, enrich, fill a table, and the cost of it all.

`make demo` ends afterwards, `make serve` stays up. Every command and request is printed, so that it can be repeated by
hand; the database and the key file are in `.demo/`.
"""

import argparse
import json
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from itertools import count
from pathlib import Path
from typing import Any

from demo_tables import (
    buying_groups,
    companies,
    lookalikes,
    moves,
    people,
    previews,
    prospected,
    scores,
    signals,
    table_rows,
)
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
DEMO = Path(".demo")
DATABASE = f"sqlite:///{DEMO / 'firmograph.db'}"
FIRMOGRAPH = str(Path(sys.executable).with_name("firmograph").relative_to(ROOT))
CREDITS = 200

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
FACTS = [
    ("headcounts", "made-up-headcounts", "made-up"),
    ("traffic", "made-up-traffic", "made-up"),
    ("it-spend", "made-up-it-spend", "made-up"),
    ("jobs", "jobs", "usajobs"),
    ("jobs", "made-up-jobs", "made-up"),
    ("news", "news", "sec-and-crunchbase"),
    ("news", "made-up-news", "made-up"),
    ("posts", "made-up-posts", "made-up"),
]
"""Kind, file and source."""
ACTIVE = [{"domain": "northwind.example.com"}, {"domain": "contoso.example.com"}, {"domain": "noaa.gov"}]
CHANGED_JOB = {
    "filters": {
        "contacts": {"include": {"signals": {"types": ["companyChange"], "startDate": "2026-01-01"}}}
    },
    "pagination": {"size": 10},
}
CHIPMAKERS = ["amd.com", "intel.com", "nvidia.com", "qualcomm.com", "broadcom.com"]
BUYERS = {
    "companies": [{"domain": "northwind.example.com"}, {"domain": "contoso.example.com"}],
    "contactsLimit": 3,
}
OWNER = "dana@demo.example"
"""User who owns the tables."""
TOKENS = ["directParent", "ultimateParent", "openJobsTotal", "monthlyWebsiteTraffic", "competitors"]

console = Console(stderr=False)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--stay", action="store_true", help="keep serving until interrupted")
    stay = arguments.parse_args().stay
    os.chdir(ROOT)
    DEMO.mkdir(exist_ok=True)
    say("1. Load the demo data")
    run("import", "companies", "demo/companies.jsonl.gz", "--source", "demo")
    # people who changed their job come in two versions each, and again with the others in their present state
    run("import", "contacts", "demo/signals/job-changes.jsonl.gz", "--source", "demo")
    run("import", "contacts", "demo/contacts.jsonl.gz", "--source", "demo")
    say("   Dated facts, from which signals are detected as they come in")
    for kind, name, source in FACTS:
        run("import", kind, f"demo/signals/{name}.jsonl.gz", "--source", source)
    run("index")
    say("   Companies like others: what makes records similar is learnt from them, once")
    seeds = [word for domain in CHIPMAKERS for word in ("--domain", domain)]
    run("lookalike", "companies", *seeds, "--limit", "2", "--explain")
    run("signals", "list", "--limit", "10")
    say("2. Make an account with credits, and an API key")
    account, key = account_and_key()
    say("3. Serve")
    port = free_port(8000)
    server = start_server(port)
    try:
        base = f"http://127.0.0.1:{port}"
        wait_until_ready(base, server)
        show(base, account, key)
        if stay:
            say(f"The service stays up at {base} (its API: {base}/docs). Interrupt it with Ctrl-C.")
            console.print(f"   KEY={key}", highlight=False)
            server.wait()
    except KeyboardInterrupt:
        console.print()
    finally:
        server.terminate()
        server.wait()
    say("Done. `make serve` does the same and stays up; the README tells how to load data of your own.")


def say(text: str) -> None:
    console.print(f"\n[bold]{text}[/bold]", highlight=False)


def print_command(command: str) -> None:
    """Print a command as a person would type it."""
    console.print(f"[green]$[/green] {command}", highlight=False, soft_wrap=True, markup=True)


def firmograph(*arguments: str) -> list[str]:
    return [FIRMOGRAPH, "--database", DATABASE, *arguments]


def run(*arguments: str) -> None:
    command = firmograph(*arguments)
    print_command(shlex.join(command))
    if subprocess.run(command).returncode:
        sys.exit(f"That failed; see above. Remove {DEMO}/ to start afresh.")


def answer(*arguments: str) -> dict[str, Any]:
    """Return the object that a command prints with --json."""
    print_command(shlex.join([*firmograph(*arguments), "--json"]))
    found: dict[str, Any] = json.loads(output(*arguments, "--json"))
    return found


def output(*arguments: str) -> str:
    done = subprocess.run(firmograph(*arguments), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip() or f"That failed. Remove {DEMO}/ to start afresh.")
    return done.stdout


def account_and_key() -> tuple[str, str]:
    """Return a new account, without earlier purchases so that the bill shows the prices, and its key."""
    known = {account["name"] for account in json.loads(output("account", "list", "--json"))["accounts"]}
    name = next(name for number in count(1) if (name := f"demo-{number}") not in known)
    answer("account", "create", name, "--credits", str(CREDITS))
    run("user", "add", "--account", name, OWNER)
    return name, str(answer("key", "create", "--account", name)["apiKey"])


# --- the server ---


def free_port(preferred: int) -> int:
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", preferred))
        except OSError:
            listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def start_server(port: int) -> "subprocess.Popen[bytes]":
    command = firmograph("serve", "--port", str(port))
    print_command(f"{shlex.join(command)} &")
    return subprocess.Popen(command)


def wait_until_ready(base: str, server: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + 30
    while server.poll() is None and time.monotonic() < give_up:
        try:
            with urllib.request.urlopen(f"{base}/health", timeout=1) as answered:
                health = json.load(answered)
                if all(health[index]["state"] == "ready" for index in ("search", "similarity")):
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    sys.exit("The server did not start; see above.")


def call(base: str, key: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send one request, printed as curl."""
    data = "" if body is None else f" -H 'content-type: application/json' -d {shlex.quote(json.dumps(body))}"
    print_command(f'curl -s {base}{path} -H "api_key: $KEY"{data}')
    request = urllib.request.Request(
        base + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"api_key": key, "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answered:
        found: dict[str, Any] = json.load(answered)
    return found


# --- results ---


def show(base: str, account: str, key: str) -> None:
    console.print(f"   KEY={key}", highlight=False)
    say("4. Search people: free, and it tells what could be revealed")
    found = call(base, key, "/v3/contacts/search", {"contacts": PEOPLE})["results"]
    console.print(previews(found))

    say("5. Prospect: find people by what is known of them; free, with an exact total")
    prospects = call(base, key, "/v3/contacts/prospecting", PROSPECTS)
    console.print(prospected(prospects["results"]))
    count, total = len(prospects["results"]), prospects["pagination"]["total"]
    console.print(
        f"   {count} of [bold]{total}[/bold]: state senators who can be reached, one per senate, none in Florida"
    )

    say("6. Enrich those that were searched for: e-mails and phones, for credits")
    ids = [one["id"] for one in found if "id" in one]
    revealed = call(base, key, "/v3/contacts/enrich", {"ids": ids})
    console.print(people(revealed["results"]))
    charged(revealed)

    say("7. The same again costs nothing")
    charged(call(base, key, "/v3/contacts/enrich", {"ids": ids}))

    say("8. Companies, with owners and other premium data")
    answered = call(base, key, "/v3/companies/search-and-enrich", {"companies": COMPANIES, "reveal": TOKENS})
    console.print(companies(answered["results"]))
    charged(answered)

    say("9. Who changed their job this year: found by their signals")
    moved = call(base, key, "/v3/contacts/prospecting", CHANGED_JOB)
    console.print(moves(moved["results"]))
    console.print(f"   {len(moved['results'])} of [bold]{moved['pagination']['total']}[/bold]")

    say("10. How active companies are, and what they did this year")
    scored = call(base, key, "/v3/companies/signal-score", {"companies": ACTIVE})
    console.print(scores(scored["results"]))
    charged(scored)
    ids = [one["id"] for one in scored["results"] if "id" in one]
    body = {"ids": ids, "signalTypes": ["allSignals"], "startDate": "2026-01-01", "maxResultsPerSignal": 2}
    active = call(base, key, "/v3/companies/signals", body)
    console.print(signals(active["results"]))
    charged(active)

    say("11. Lookalikes: people and companies that resemble others; a session gives further ones each time")
    seeds = {"ids": [one["id"] for one in prospects["results"][:5]]}
    alike = call(base, key, "/v3/contacts/lookalike", {"seeds": seeds, "limit": 3})
    console.print(lookalikes(alike["results"]))
    charged(alike)
    body = {"seeds": {"domains": CHIPMAKERS}, "limit": 3}
    alike = call(base, key, "/v3/companies/lookalike", body)
    console.print(lookalikes(alike["results"]))
    further = call(base, key, "/v3/companies/lookalike", body | {"dedupeSessionId": alike["dedupeSessionId"]})
    console.print(lookalikes(further["results"]))
    charged(further)

    say("12. Who takes part when a company buys: roles from titles, the best first")
    group = call(base, key, "/v3/contacts/buying-group", BUYERS)
    console.print(buying_groups(group["results"]))
    charged(group)
    run("buying-group", "--domain", "northwind.example.com", "--limit", "1", "--explain")

    say("13. A table: its rows come from prospecting, and a worker fills a column of e-mails")
    table = fill_table(base, key)
    run("table", "show", table, "--rows", "3")

    say("14. The bill, and what the table cost by it")
    credits = call(base, key, "/v3/account/usage")["credits"]
    console.print(f"   {credits['used']} credits used, {credits['remaining']} of {credits['total']} left")
    command = ("ledger", "export", "--account", account)
    print_command(f"{shlex.join(firmograph(*command))} | grep -E 'table:|run:'")
    for line in output(*command).splitlines():
        if json.loads(line)["subject"]:
            console.print(line, highlight=False, soft_wrap=True, markup=False)


def fill_table(base: str, key: str) -> str:
    """Make a table, show its rows, and return its id."""
    owner = {"owner": {"email": OWNER}}
    body = {"name": "State senators", "visibility": "shared", **owner}
    table = str(call(base, key, "/v3/contacts/tables", body)["data"]["tableId"])
    written = call(base, key, "/v3/contacts/prospecting", PROSPECTS | {"tableId": table})["tableWrite"]
    console.print(f"   {written['added']} rows added")
    path = f"/v3/contacts/tables/{table}"
    call(base, key, f"{path}/columns", {"columnKey": "workEmail", **owner})
    wait_until_filled(base, key, f"{path}?email={OWNER}")
    rows = call(base, key, f"{path}/entities?email={OWNER}")
    console.print(table_rows(rows["data"]))
    charged(rows)
    return table


def wait_until_filled(base: str, key: str, path: str) -> None:
    give_up = time.monotonic() + 30
    while call(base, key, path)["data"]["isProcessing"]:
        if time.monotonic() > give_up:
            sys.exit("The table was not filled in time; see above.")
        time.sleep(0.5)


def charged(answered: dict[str, Any]) -> None:
    billing = answered["billing"]
    console.print(
        f"   {billing['resultsReturned']} results for [bold]{billing['creditsCharged']}[/bold] credits"
    )


if __name__ == "__main__":
    main()
