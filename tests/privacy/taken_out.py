"""Declarations of all packages with one eraser or notice taken out."""

from dataclasses import replace

from declaration_checks import tables_of
from planted_person import PERSONAL_DATA

PERSONAL_TABLES = [table for table in tables_of(PERSONAL_DATA) if table.find is not None]
ERASERS = [
    (each.package, field, number)
    for each in PERSONAL_DATA
    for field in ("record_removers", "removers", "erasers")
    for number in range(len(getattr(each, field)))
]
NOTICES = [(each.package, "notices", number) for each in PERSONAL_DATA for number in range(len(each.notices))]


def changed(package, **fields):
    return [replace(each, **fields) if each.package == package else each for each in PERSONAL_DATA]


def without_effect(package, field, number):
    """Return the declarations with one function of a package that does nothing."""
    (declaration,) = [each for each in PERSONAL_DATA if each.package == package]
    functions = list(getattr(declaration, field))
    functions[number] = lambda given: None
    return changed(package, **{field: tuple(functions)})
