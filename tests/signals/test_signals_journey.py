"""Signals of two versions of a data set, imported by command and read through a server."""

import json
import signal
from random import Random

import httpx
import pytest
from dataset_versions import EXPECTED, ORDER, VERSION_1, VERSION_2, expected_form, sort_signals
from import_crashes import Imports

import database_fixtures
from command_fixtures import Forked
from effort import THOROUGH
from server_fixtures import Server, free_port


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write the files of both versions and return the arguments of each import."""
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
    """Return a function that runs imports in one process, which can be killed at a moment."""
    imports = Imports()
    yield lambda command, *given: imports(command.folder, command.environment, *given)
    imports.end()


def list_signals(command):
    return sort_signals(
        expected_form(one["name"], one["type"], one["event"], one["signalDate"])
        for one in command.json("signals", "list")
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory, files, run):
    """Start a server on both versions."""
    folder = tmp_path_factory.mktemp("read-back")
    url = database_fixtures.fresh(folder)
    command = Forked(folder, url)
    done = run(command, files)
    assert done.code == 0, done.errors
    server = Server(command, free_port())
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(url)


def test_each_signal_is_detected_once_and_repeated_imports_change_nothing(server, files, run):
    command = server.command
    before = command.json("signals", "list")
    assert list_signals(command) == sort_signals(EXPECTED)
    # without the companies file: its first version would restore former names
    done = run(command, files[1:])
    assert done.code == 0, done.errors
    assert command.json("signals", "list") == before


@pytest.mark.slow("killed import", "ingest", "signals")
@pytest.mark.parametrize("seed", [1, 2] if THOROUGH else [1])
def test_killed_and_repeated_imports_yield_the_same_signals(command, files, run, seed):
    """Some imports run twice; a killed one is repeated."""
    random = Random(seed)
    kills, remaining = 0, [one for each in files for one in [each] * random.choice([1, 1, 2])]
    while remaining:
        done = run(command, remaining, random.randrange(1, 150))
        killed = done.code == -signal.SIGKILL
        assert killed or done.code == 0, done.errors
        kills += killed
        remaining = remaining[done.started - killed :]
    assert kills > 2
    assert list_signals(command) == sort_signals(EXPECTED)


@pytest.fixture
def post(server, request):
    """Return a function that makes a call for a new account."""
    account = request.node.name
    server.command.json("account", "create", account, "--credits", "1000")
    key = server.command.json("key", "create", "--account", account)["apiKey"]

    def post(path, body):
        answer = httpx.post(server.url + path, json=body, headers={"api_key": key})
        assert answer.status_code == 200, answer.text
        return answer.json()

    return post


PEOPLE = {row["sourceId"]: f"{row['firstName']} {row['lastName']}" for row in VERSION_2["contacts"]}
DOMAINS = [row["domain"] for row in VERSION_1["companies"]]


def expected_of(entity):
    return [one for one in EXPECTED if (one[0] in PEOPLE.values()) == (entity == "contacts")]


def events(record):
    return [(type, event) for type, those in record.items() if isinstance(those, list) for event in those]


def test_both_api_generations_return_all_signals_and_the_legacy_one_is_free(post):
    people = [{"email": f"{id}@mail.test"} for id in PEOPLE]
    companies = [{"domain": domain} for domain in DOMAINS]
    names = {"contacts": list(PEOPLE.values()), "companies": None}
    for kind, items in (("contacts", people), ("companies", companies)):
        found = post(f"/v3/{kind}/search", {kind: items})["results"]
        ids = [one["id"] for one in found]
        answer = post(f"/v3/{kind}/signals", {"ids": ids, "signalTypes": ["allSignals"]})
        labels = names[kind] or [one["companyName"] for one in answer["results"]]
        signals = [
            expected_form(name, *one)
            for name, record in zip(labels, answer["results"], strict=True)
            for one in events(record)
        ]
        expected = expected_of(kind)
        assert sort_signals(signals) == sort_signals(expected)
        assert answer["billing"]["creditsCharged"] == len({one[:2] for one in expected})

        keyed = [{"id": name, **item} for name, item in zip(labels, items, strict=True)]
        answer = post(f"/api/signals/{kind}/search", {kind: keyed, "signals": ["allSignals"]})
        signals = [
            expected_form(name, *one) for name, record in answer[kind].items() for one in events(record)
        ]
        expected = [one for one in expected if one[1] != "linkedinActivityIntent"]
        assert sort_signals(signals) == sort_signals(expected)
        assert answer["creditCharged"] == 0


def test_filters_find_the_imported_signals(post):
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
    answer = post("/api/signals/companies/search", body)
    found = {
        (key, type): len(those)
        for key, record in answer["companies"].items()
        for type, those in record.items()
        if isinstance(those, list)
    }
    assert found == {("initech.test", "financialEventsNews"): 1, ("acme.test", "surgeInHiringByLocation"): 1}


def test_scores_count_recent_signals_of_the_applicable_types(post):
    companies = [{"domain": domain} for domain in ("acme.test", "quiet.test")]
    acme, quiet = post("/v3/companies/signal-score", {"companies": companies})["results"]
    # applicable: traffic, IT spend, four periods of head counts, three kinds of surges, seven of news, posts
    assert (acme["signalScore"], acme["signalTypes"]) == (pytest.approx(1 / 17), ["linkedinActivityIntent"])
    assert (quiet["signalScore"], quiet["noActiveSignals"]) == (0, True)
    people = [{"email": "kim@mail.test"}, {"email": "ben@mail.test"}, {"email": "eve@mail.test"}]
    kim, ben, eve = post("/v3/contacts/signal-score", {"contacts": people})["results"]
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
def test_prospecting_finds_records_by_their_signals(server, post, kind, signals, names):
    server.wait_until_searchable(0)
    body = {"filters": {kind: {"include": {"signals": signals}}}, "pagination": {"size": 25}}
    found = post(f"/v3/{kind}/prospecting", body)["results"]
    assert {one["domain" if kind == "companies" else "lastName"] for one in found} == names
    for one in found:
        assert one["signalTypes"]
