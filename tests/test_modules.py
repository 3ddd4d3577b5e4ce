from pathlib import Path

import pytest
from scripts.check_modules import Module, glossary_terms, repeated_classes, retired_names, small_modules

pytestmark = [pytest.mark.any_database, pytest.mark.folders("scripts")]


def module(path="a/b.py", *, lines=100, importers=("a.c", "a.d"), classes=()):
    return Module(Path(path), lines, importers, dict.fromkeys(classes, 1))


def test_a_small_module_with_a_single_importer_is_refused():
    (problem,) = small_modules([module(lines=39, importers=["a.c"])])
    assert problem == "a/b.py: 39 lines that only a.c imports: merge them into it"


@pytest.mark.parametrize(
    "accepted",
    [
        module(lines=40, importers=["a.c"]),
        module(lines=39, importers=["a.c", "a.d"]),
        module(lines=39, importers=[]),
        module("a/tables.py", lines=10, importers=["a.store"]),
        module("a/__init__.py", lines=3, importers=["a.c"]),
    ],
)
def test_large_shared_and_conventional_modules_stand_alone(accepted):
    assert not [*small_modules([accepted])]


def test_retired_words_are_refused_as_names_of_modules_and_classes():
    found = [
        module("a/gate.py"),
        module("a/gateway.py", classes=["Gate", "_Gate", "Gateway"]),
        module("a/place.py", classes=["Place"]),
    ]
    assert [*retired_names(found, {"gate": "authenticator"}, {"place": "position"})] == [
        "a/gate.py: name of a module: write authenticator",
        "a/gateway.py:1: class Gate: write authenticator",
        "a/gateway.py:1: class _Gate: write authenticator",
        "a/place.py:1: class Place: write position",
    ]


def test_public_class_names_of_two_modules_are_refused_unless_allowed():
    found = [module(f"{name}.py", classes=["Batch", "Store", "_Body"]) for name in ("a", "b")]
    assert [*repeated_classes(found, ["Store"])] == ["class Batch has several meanings: a.py:1, b.py:1"]


def test_terms_of_the_glossary_are_read_from_its_tables():
    assert glossary_terms("| term | meaning |\n|---|---|\n| criterion, query | a filter |\n") >= {
        "criterion",
        "query",
    }
