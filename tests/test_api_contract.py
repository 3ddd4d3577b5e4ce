"""Schemathesis over the served OpenAPI document: every check and phase, a fixed seed, both databases.

One test for each operation that writes or charges, two for all others, as each run of Schemathesis begins with reading
the document, and one for the sequences of calls of each group of operations. Schemathesis runs in this process and
calls one server, which all tests share; each test has accounts of its own. null is a positive case of every optional
property, as the document says. No check is excluded. `contract_hooks.py` corrects generated prospecting and legacy
requests, as a schema cannot express which filters and identifiers go together. Some values are not generated, as no
schema describes them: NUL characters, which every text of every body refuses, empty query parameters, which count as
absent, and URLs beyond their limit, which every path refuses. Tests of the HTTP layer cover them.
"""

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from hypothesis import given, settings

import contract_legacy
import contract_tables
import database_fixtures
from contract_bodies import Bodies
from contract_fixtures import new_account, served, subscribers, visited_account
from effort import THOROUGH, examples

__all__ = ["served"]

OPTIONS = {
    "checks": "all",
    "mode": "all",
    "seed": "20261121",
    # one database is tested thoroughly, as both assemble answers in the same way
    "max-examples": str((15 if THOROUGH else 5) if database_fixtures.EMBEDDED else 8 if THOROUGH else 2),
    "generation-database": "none",
    "generation-allow-x00": "false",
    "warnings": "off",
    "request-timeout": "60",
}

OPERATIONS = """
    search_contacts
    enrich_contacts
    search_and_enrich_contacts
    search_companies
    enrich_companies
    search_and_enrich_companies
    prospect_contacts
    prospect_companies
    get_contacts_filters
    get_contacts_filter_departments
    get_contacts_filter_seniority
    get_contacts_filter_countries
    get_contacts_filter_existingDataPoints
    get_contacts_filter_locations
    get_companies_filters
    get_companies_filter_names
    get_companies_filter_technologies
    get_companies_filter_locations
    get_companies_filter_sizes
    get_companies_filter_revenues
    get_companies_filter_industriesLabels
    get_companies_filter_sics
    get_companies_filter_naics
    get_companies_filter_intentTopics
    get_all_countries
    get_contact_signals
    get_company_signals
    get_contacts_signal_types
    get_companies_signal_types
    get_signal_filters
    get_signal_filter_newsEventTypes
    get_signal_filter_hiringByDepartments
    get_signal_filter_locations
    get_signal_filter_intentCategories
    score_companies
    score_contacts
    search_conversations
    get_conversation_transcript
    get_contacts_enrich_job
    find_buying_group
    find_website_visits
    find_lookalike_contacts
    find_lookalike_companies
    find_lookalike_contacts_earlier
    find_lookalike_companies_earlier
    get_contact_signals_legacy
    search_contact_signals_legacy
    get_company_signals_legacy
    search_company_signals_legacy
    get_contact_signal_filters_legacy
    get_company_signal_filters_legacy
    get_account_usage
    get_account_usage_legacy
    get_health
""".split()
WEBHOOK_OPERATIONS = """
    create_subscriptions
    list_subscriptions
    create_opt_out_subscription
    get_subscription
    update_subscription
    delete_subscriptions
    get_secret
    regenerate_secret
    test_subscription
    get_audit_logs
    get_audit_stats
""".split()
"""Those that an account may call a hundred times a minute."""

SEARCHES = ["prospect_contacts", "prospect_companies", "search_contacts_legacy", "search_companies_legacy"]
"""Operations with filters, which `contract_bodies.py` draws."""

OF_IMPORTS = ["get_conversation_transcript", "get_contacts_enrich_job"]
"""Operations on what only an import or another provider makes, which tests/conversations and tests/waterfall cover."""

WEBHOOKS = "^/api/(subscriptions|audit-logs|account/secret)"
GROUPS = {
    "webhooks": WEBHOOKS,
    "signals": "/signal",
    "legacy": contract_legacy.PATHS,
    "tables": contract_tables.PATHS,
    "records": f"^(?!.*(/prospecting|/signal|/tables)|{WEBHOOKS}|{contract_legacy.PATHS})",
}
"""Paths of the operations whose answers give what others ask for."""

IN_MEMORY = re.compile(
    r"prospect_|get_(contacts|companies|signal)_filter|get_all_countries|get_\w+_signal_(types|filters)"
    r"|search_(contacts|companies)_legacy"
)
"""Operations that lists or the search engine in memory answer, so that no value of theirs reaches the database."""

CHARGED = {
    "get_contact_signals": "showSignalsContact",
    "get_company_signals": "showSignalsCompany",
    "find_lookalike_contacts": "lookalikeContact",
    "find_lookalike_companies": "lookalikeCompany",
    "find_buying_group": "buyingGroupReveal",
    **contract_legacy.CHARGED,
    **contract_tables.CHARGED,
}
"""What must have been charged for after a test of an operation."""


ALL = OPERATIONS + WEBHOOK_OPERATIONS + contract_legacy.OPERATIONS + contract_tables.OPERATIONS
ALONE = [
    *WEBHOOK_OPERATIONS,
    *contract_tables.OPERATIONS,
    *contract_tables.WRITING_OPERATIONS,
    *SEARCHES,
    # tests/legacy shows that they answer as the others do
    *(contract_legacy.ALIASES if THOROUGH else ()),
]
"""Operations with a test of their own, as those that must have charged."""


def phases_of(operations) -> str:
    """Return the phases of Schemathesis: the one that enumerates the values of each property is for thorough runs."""
    if not THOROUGH:
        return "fuzzing" if operations[0] in SEARCHES else "examples,fuzzing"
    # an alias is the same call by another path
    return "examples,fuzzing" if operations[0] in contract_legacy.ALIASES else "examples,coverage,fuzzing"


def is_alike(operation) -> bool:
    """Check whether one database suffices: the other would do the same."""
    return bool(IN_MEMORY.match(operation)) or operation in contract_legacy.ALIASES


def runs():
    """Return the operations of each test."""
    alone = [name for name in ALL if name in ALONE or name in CHARGED]
    others = [name for name in ALL if name not in alone and name not in contract_legacy.ALIASES]
    together = {
        "answers from memory": [name for name in others if is_alike(name)],
        "answers from the database": [name for name in others if not is_alike(name)],
    }
    for title, operations in {**{name: [name] for name in alone}, **together}.items():
        yield pytest.param(
            operations, id=title, marks=[pytest.mark.any_database] if is_alike(operations[0]) else []
        )


@pytest.fixture(scope="module")
def schemathesis(served, tmp_path_factory):
    """Run the command line of Schemathesis in this process; it is imported here, as that takes a second."""
    from schemathesis import cli

    import contract_hooks

    contract_hooks.STORED.update(served.identifiers)
    contract_hooks.register_formats()
    with pytest.MonkeyPatch.context() as patch:
        # Schemathesis keeps notes in the current folder
        patch.chdir(tmp_path_factory.mktemp("schemathesis"))
        yield cli.schemathesis


@pytest.fixture(scope="module")
def document(served):
    """Return the served document."""
    return httpx.get(f"{served.url}/openapi.json", timeout=60).json()


def part_of(document, is_chosen):
    """Return the document with the chosen paths alone: Schemathesis reads and counts all that it is given."""
    paths = document["paths"].items()
    return {
        **document,
        "paths": {path: operations for path, operations in paths if is_chosen(path, operations)},
    }


def loaded_document(served):
    """Return the served document as Schemathesis reads it."""
    import schemathesis

    return schemathesis.openapi.from_url(f"{served.url}/openapi.json")


def operations_of(document):
    return [each.ok() for each in document.get_all_operations()]


def check(schemathesis, served, phases, document, *, operations=(), callers=(), make_account=new_account):
    """Call some operations or all of a document by a new account, or by these accounts.

    Return the name of the new account.
    """
    import contract_hooks

    name, key = make_account(served)
    options = [f"--{option}={value}" for option, value in OPTIONS.items()]
    options += ["--continue-on-failure", "--no-color", f"--phases={phases}", f"--url={served.url}"]
    options += [] if callers else ["--header", f"api_key: {key}"]
    options += [f"--include-operation-id={operation}" for operation in operations]
    Path("openapi.json").write_text(json.dumps(document))
    with contract_hooks.rotation(callers):
        done = CliRunner().invoke(schemathesis, ["run", "openapi.json", *options])
    assert done.exit_code == 0, done.output
    return name


def newly_accepted(served) -> Counter[str]:
    """Return how many calls of each operation the server accepted since the last question.

    None may have been limited: it tests nothing.
    """
    counted = httpx.get(f"{served.url}/metrics", timeout=60).text
    assert 'status="429"' not in counted
    before, served.accepted = served.accepted, Counter()
    for name, number in re.findall(
        r'^firmograph_requests_total{endpoint="(\w+)",status="2..".*} (\d+)', counted, re.MULTILINE
    ):
        served.accepted[name] += int(number)
    return served.accepted - before


def test_every_operation_of_the_document_is_tested(document):
    paths = document["paths"].values()
    assert sorted(each["operationId"] for path in paths for each in path.values()) == sorted(ALL)


@pytest.mark.parametrize("operations", list(runs()))
def test_operations_conform_to_the_document(served, schemathesis, document, operations):
    callers = subscribers(served, 6) if operations[0] in WEBHOOK_OPERATIONS else ()
    part = part_of(document, lambda _, path: any(each["operationId"] in operations for each in path.values()))
    on_tables = operations[0] in contract_tables.OPERATIONS + contract_tables.WRITING_OPERATIONS
    make_account = visited_account if "find_website_visits" in operations else new_account
    if on_tables:
        make_account = partial(contract_tables.table_account, part["paths"])
    name = check(
        schemathesis,
        served,
        phases_of(operations),
        part,
        operations=operations,
        callers=callers,
        make_account=make_account,
    )
    accepted = newly_accepted(served)
    refused = [each for each in operations if not accepted[each] and each not in (*SEARCHES, *OF_IMPORTS)]
    assert not refused, "every call was refused, so little was tested"
    if action := CHARGED.get(operations[0]):
        assert action in served.command("ledger", "export", "--account", name).stdout
    if operations[0] in contract_tables.WRITING_OPERATIONS:
        assert contract_tables.count_rows(served, name) > contract_tables.FIRST_ROWS, "nothing was written"


@pytest.mark.any_database
@pytest.mark.parametrize("operation", SEARCHES)
def test_a_search_with_a_few_filters_is_answered_as_the_document_says(served, schemathesis, operation):
    import contract_hooks

    document = loaded_document(served)
    search = next(each for each in operations_of(document) if each.definition.raw["operationId"] == operation)
    body = search.definition.raw["requestBody"]["content"]["application/json"]["schema"]
    headers = {"api_key": new_account(served)[1]}
    contract_tables.STORED.clear()

    @settings(max_examples=examples(100))
    @given(Bodies(document.raw_schema, contract_hooks.formats()).of(body))
    def answer(given_body):
        case = search.Case(body=given_body, media_type="application/json", headers=dict(headers))
        contract_hooks.adjust(case)
        answered = case.call_and_validate()
        assert answered.status_code == 200, (case.body, answered.text)

    answer()


@pytest.mark.parametrize("group", GROUPS)
def test_sequences_of_calls_conform_to_the_document(served, schemathesis, document, group):
    callers = subscribers(served, 15) if group == "webhooks" else ()
    part = part_of(document, lambda path, _: re.search(GROUPS[group], path))
    on_tables = group == "tables"
    make_account = partial(contract_tables.table_account, part["paths"]) if on_tables else new_account
    check(schemathesis, served, "stateful", part, callers=callers, make_account=make_account)
