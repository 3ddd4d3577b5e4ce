"""Version 1 and then version 2 of a data set yield exactly the expected signals, once, whatever happens in between.

Through the real command line and, read back, through a real server.
"""

import json
import signal
from random import Random

import httpx
import pytest
from dataset_versions import EXPECTED, ORDER, VERSION_1, VERSION_2, in_order, told
from import_crashes import Imports

import database_fixtures
from server_fixtures import Command, Server, free_port


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The arguments of each import, version by version."""
    folder = tmp_path_factory.mktemp("versions")
    imports = []
    for number, version in enumerate((VERSION_1, VERSION_2), 1):
        for kind in ORDER:
            path = folder / f"{kind}{number}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in version[kind]))
            imports.append(f"{kind} {path}")
    return imports


@pytest.fixture(scope="module")
def run():
    """Runs imports in one process; killed at one moment, unless that is 0."""
    imports = Imports()
    yield lambda command, *given: imports(command.folder, command.environment, *given)
    imports.end()


def listed(command):
    return in_order(
        told(one["name"], one["type"], one["event"], one["signalDate"])
        for one in command.json("signals", "list")
    )


@pytest.fixture(scope="module")
def read_back(tmp_path_factory, files, run):
    """A server over both versions, with the key of an account that has credits."""
    folder = tmp_path_factory.mktemp("read-back")
    url = database_fixtures.fresh(folder)
    command = Command(folder, url)
    done = run(command, files)
    assert done.code == 0, done.errors
    command.json("account", "create", "Acme", "--credits", "1000")
    server = Server(command, free_port())
    server.key = command.json("key", "create", "--account", "Acme")["apiKey"]
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(url)


def test_each_signal_is_detected_once_and_neither_version_again_changes_anything(read_back, files, run):
    command = read_back.command
    before = command.json("signals", "list")
    assert listed(command) == in_order(EXPECTED)
    # the names of companies aside, for these are shown as they were told last
    done = run(command, files[1:])
    assert done.code == 0, done.errors
    assert command.json("signals", "list") == before


@pytest.mark.parametrize("seed", [1, 2])
def test_imports_that_are_killed_and_run_again_yield_what_undisturbed_ones_do(command, files, run, seed):
    """Some are run twice besides. The one that was killed is begun again."""
    random = Random(seed)
    kills, left = 0, [one for each in files for one in [each] * random.choice([1, 1, 2])]
    while left:
        done = run(command, left, random.randrange(1, 150))
        killed = done.code == -signal.SIGKILL
        assert killed or done.code == 0, done.errors
        kills += killed
        left = left[done.begun - killed :]
    assert kills > 2
    assert listed(command) == in_order(EXPECTED)


def post(server, path, body):
    answer = httpx.post(server.url + path, json=body, headers={"api_key": server.key})
    assert answer.status_code == 200, answer.text
    return answer.json()


PEOPLE = {row["sourceId"]: f"{row['firstName']} {row['lastName']}" for row in VERSION_2["contacts"]}
DOMAINS = [row["domain"] for row in VERSION_1["companies"]]


def of(entity):
    return [one for one in EXPECTED if (one[0] in PEOPLE.values()) == (entity == "contacts")]


def events(record):
    return [(type, event) for type, those in record.items() if isinstance(those, list) for event in those]


def test_the_current_generation_answers_them_all_and_the_legacy_one_does_so_for_nothing(read_back):
    people = [{"email": f"{id}@mail.test"} for id in PEOPLE]
    companies = [{"domain": domain} for domain in DOMAINS]
    names = {"contacts": list(PEOPLE.values()), "companies": None}
    for kind, items in (("contacts", people), ("companies", companies)):
        found = post(read_back, f"/v3/{kind}/search", {kind: items})["results"]
        ids = [one["id"] for one in found]
        answer = post(read_back, f"/v3/{kind}/signals", {"ids": ids, "signalTypes": ["allSignals"]})
        shown = names[kind] or [one["companyName"] for one in answer["results"]]
        signals = [
            told(name, *one)
            for name, record in zip(shown, answer["results"], strict=True)
            for one in events(record)
        ]
        expected = of(kind)
        assert in_order(signals) == in_order(expected)
        assert answer["billing"]["creditsCharged"] == len({one[:2] for one in expected})

        keyed = [{"id": name, **item} for name, item in zip(shown, items, strict=True)]
        answer = post(read_back, f"/api/signals/{kind}/search", {kind: keyed, "signals": ["allSignals"]})
        signals = [told(name, *one) for name, record in answer[kind].items() for one in events(record)]
        expected = [one for one in expected if one[1] != "linkedinActivityIntent"]
        assert in_order(signals) == in_order(expected)
        assert answer["creditCharged"] == 0


def test_what_narrows_signals_finds_the_imported_ones(read_back):
    companies = [{"id": domain, "domain": domain} for domain in DOMAINS]
    include = {
        "newsEventTypes": ["Funding Round"],
        "hiringByLocations": [{"country": "US", "state": "California"}],
        "hiringByDepartments": ["Marketing"],
    }
    types = [
        "financialEventsNews",
        "commercialActivityNews",
        "surgeInHiringByLocation",
        "surgeInHiringByDepartment",
    ]
    body = {"companies": companies, "signals": types, "filters": {"include": include}}
    answer = post(read_back, "/api/signals/companies/search", body)
    found = {
        (key, type): len(those)
        for key, record in answer["companies"].items()
        for type, those in record.items()
        if isinstance(those, list)
    }
    assert found == {("initech.test", "financialEventsNews"): 1, ("acme.test", "surgeInHiringByLocation"): 1}


def test_scores_count_what_is_recent_of_what_applies(read_back):
    companies = [{"domain": domain} for domain in ("acme.test", "quiet.test")]
    acme, quiet = post(read_back, "/v3/companies/signal-score", {"companies": companies})["results"]
    # traffic, IT spend, four periods of head counts, three kinds of surges, seven of news, posts
    assert (acme["signalScore"], acme["signalTypes"]) == (pytest.approx(1 / 17), ["linkedinActivityIntent"])
    assert (quiet["signalScore"], quiet["noActiveSignals"]) == (0, True)
    people = [{"email": "kim@mail.test"}, {"email": "ben@mail.test"}, {"email": "eve@mail.test"}]
    kim, ben, eve = post(read_back, "/v3/contacts/signal-score", {"contacts": people})["results"]
    assert (kim["signalScore"], kim["signalTypes"]) == (0.5, ["promotion"])
    assert (ben["signalScore"], ben["noActiveSignals"]) == (0, True)
    assert eve["error"]["code"] == "NO_SCORE"


@pytest.mark.parametrize(
    ("kind", "signals", "names"),
    [
        (
            "companies",
            {"types": ["surgeInHiringByLocation"], "filterByLocation": [{"country": "US"}]},
            {"acme.test"},
        ),
        (
            "companies",
            {"types": ["allSignals"], "startDate": "2024-05-01"},
            {"acme.test", "globex.test", "initech.test"},
        ),
        (
            "companies",
            {"types": ["linkedinActivityIntent"], "filterByIntentCategory": ["Data"]},
            {"acme.test"},
        ),
        ("companies", {"types": ["riskNews"]}, set()),
        ("contacts", {"types": ["companyChange"]}, {"Moss", "Nash"}),
        ("contacts", {"types": ["allSignals"], "startDate": "2024-03-15"}, {"Hart", "Bell", "Nash"}),
    ],
)
def test_prospecting_finds_records_by_their_signals(read_back, kind, signals, names):
    read_back.wait_until_searchable(0)
    body = {"filters": {kind: {"include": {"signals": signals}}}, "pagination": {"size": 25}}
    found = post(read_back, f"/v3/{kind}/prospecting", body)["results"]
    assert {one["domain" if kind == "companies" else "lastName"] for one in found} == names
    for one in found:
        assert one["signalTypes"]
