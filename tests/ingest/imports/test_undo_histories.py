"""Histories of imports, undos, removals, suppressions and kills: what remains is what the remaining rows say."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from undo_world import World, check, content, unnamed_stubs

from effort import examples
from emptied_database import empty_tables
from firmograph.ingest import commits
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

SOURCES = ("crm", "fair")


def person(source, number, variant, day):
    """Return a version of a person; those of two sources share no key unless they share `own`."""
    own = f"{source}{number}"
    row = {
        "sourceId": "" if number == 0 else own,
        "firstName": f"Given{own}",
        "lastName": f"Family{own}",
        "emails": [f"{own}@mail.example"] + [f"{own}-{variant}@other.example"] * (variant % 2),
        "jobTitle": f"Title {variant}",
        "company": {"name": f"Firm{source}{variant % 3}", "domain": f"firm{variant % 3}.{source}.example"},
    }
    if variant % 4 == 1:
        row["employer"] = {"description": f"Described by {own} {variant}"}
    if variant % 5 == 2:
        row["phones"] = [{"number": "+12025550100", "doNotCall": True}]
    return row | ({"updateDate": f"2026-01-0{day}"} if day else {})


def firm(source, number, variant, day):
    row = {
        "sourceId": f"f{number}",
        "name": f"Firm{source}{number}",
        "domain": f"firm{number}.{source}.example",
        "description": f"Firm {variant}",
    }
    if variant % 3 == 1:
        row["competitors"] = [
            {"name": f"Firm{source}{variant % 4}", "domain": f"firm{variant % 4}.{source}.example"}
        ]
    if variant % 3 == 2:
        row["parents"] = [{"name": f"Owner{source}", "domain": f"owner.{source}.example"}]
    return row | ({"updateDate": f"2026-01-0{day}"} if day else {})


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 9), st.sampled_from([0, 0, 1, 2])), min_size=1, max_size=4
)
imports = st.tuples(
    st.just("import"), st.sampled_from(SOURCES), st.sampled_from(list(Entity)), rows, st.integers(1, 6)
)
undos = st.tuples(st.just("undo"), st.integers(0, 5), st.booleans(), st.integers(1, 9))
removals = st.tuples(st.just("remove"), st.sampled_from(SOURCES), st.integers(1, 12))
suppressions = st.tuples(st.just("suppress"), st.sampled_from(SOURCES), st.integers(0, 3))
histories = st.lists(
    st.one_of(imports, imports, imports, undos, undos, removals, suppressions), min_size=2, max_size=9
)


@pytest.fixture
def small_commits(monkeypatch):
    monkeypatch.setattr(commits, "_MIN_ROWS", 1)
    monkeypatch.setattr(commits, "_START_ROWS", 1)
    monkeypatch.setattr(commits, "_MAX_ROWS", 1)
    monkeypatch.setattr(commits, "_REST_SECONDS", 0.0)


def suppress_person(world, source, number):
    person = world.suppression.person(email=f"{source}{number}@mail.example")
    world.suppression.suppress(person)


def make_rows(source, entity, drawn):
    make = person if entity is Entity.CONTACT else firm
    return [make(source, *each) for each in drawn]


def compare_counts(previews, results):
    """Check that the first preview has the counts of what was done, also where that was killed in between."""
    if results:
        preview = previews[0]
        removed = [
            (sum(each.contacts_removed for each in results), sum(each.companies_removed for each in results))
        ]
        assert removed == [(preview.removed[Entity.CONTACT], preview.removed[Entity.COMPANY])]
        if len(results) == 1:
            assert (results[0].changed, results[0].signals) == (preview.changed, preview.signals)


@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=histories)
def test_a_history_with_undos_and_removals_ends_as_one_of_the_remaining_files(
    database, tmp_path, monkeypatch, small_commits, history
):
    empty_tables(database)
    world, steps = World(database, tmp_path), []
    for step in history:
        if step[0] == "import":
            _, source, entity, drawn, killed = step
            path = world.write(make_rows(source, entity, drawn))
            world.run_killed(lambda: world.import_file(source, entity, path), killed, monkeypatch)  # noqa: B023
            steps.append((world.runs.all()[-1].id, source, entity, path))
        elif step[0] == "suppress":
            suppress_person(world, *step[1:])
            steps.append((None, *step[1:], None))
        elif step[0] == "remove":
            _, source, killed = step
            previews, results = [], []

            def remove():
                previews.append(world.sources.preview_removal(source))  # noqa: B023
                results.append(world.removal.remove(source))  # noqa: B023

            with suppress(Refused):
                world.run_killed(remove, killed, monkeypatch)
            compare_counts(previews, results)
            assert source not in {each.name for each in world.sources.all() if each.state == "removing"}
            steps = [each for each in steps if each[0] is None or each[1] != source]
        else:
            _, index, and_later, killed = step
            numbers = [number for number, *_ in steps if number]
            if not numbers:
                continue
            number = numbers[index % len(numbers)]
            previews, results = [], []

            def undo():
                previews.append(world.previews.preview(number, and_later=and_later))  # noqa: B023
                results.extend(each.counts for each in world.undo(number, and_later=and_later))  # noqa: B023

            with suppress(Refused):
                world.run_killed(undo, killed, monkeypatch)
            undone = {each for preview in previews for each in preview.imports}
            if len(undone) == len(results):
                compare_counts(previews, results)
            assert {each.id for each in world.runs.all() if each.state == "undone"} >= undone
            steps = [each for each in steps if each[0] not in undone]
        check(database)
    found, unnamed = content(database), unnamed_stubs(database)
    empty_tables(database)
    remaining = World(database, tmp_path)
    for number, *step, path in steps:
        if number is None:
            suppress_person(remaining, *step)
        else:
            remaining.import_file(*step, path)
    assert found == content(database)
    assert unnamed <= unnamed_stubs(database)
