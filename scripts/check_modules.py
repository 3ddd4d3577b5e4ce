"""The module check: refuses modules too small to stand alone, retired names, and names with two meanings.

Words and exceptions are in `scripts/names.toml`.
"""

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import grimp

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src")
PACKAGE = "firmograph"
SMALLEST = 40
"""Lines from which a module with a single importer stands alone."""
CONVENTIONAL = frozenset(
    {
        "metrics",
        "output",
        "personal_data",
        "registration",
        "routes",
        "shapes",
        "service",
        "store",
        "tables",
        "__init__",
        "__main__",
    }
)
"""Modules of any size: packages use the same file names for the same things."""


class Module(NamedTuple):
    path: Path
    lines: int
    importers: Collection[str]
    classes: Mapping[str, int]
    """Line of each class by its name."""


def small_modules(modules: Iterable[Module]) -> Iterator[str]:
    """Yield a message for each small module with a single importer."""
    for module in modules:
        if module.lines < SMALLEST and len(module.importers) == 1 and module.path.stem not in CONVENTIONAL:
            (importer,) = module.importers
            yield f"{module.path}: {module.lines} lines that only {importer} imports: merge them into it"


def retired_names(
    modules: Iterable[Module], words: Mapping[str, str], classes: Mapping[str, str]
) -> Iterator[str]:
    """Yield a message for each module and class with a retired name; `classes` are retired for classes only."""
    for module in modules:
        if instead := words.get(module.path.stem):
            yield f"{module.path}: name of a module: write {instead}"
        for name, line in module.classes.items():
            if instead := (words | classes).get(name.strip("_").lower()):
                yield f"{module.path}:{line}: class {name}: write {instead}"


def repeated_classes(modules: Iterable[Module], allowed: Collection[str]) -> Iterator[str]:
    """Yield a message for each public class name of several modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in modules:
        for name, line in module.classes.items():
            if not name.startswith("_") and name not in allowed:
                places[name].append(f"{module.path}:{line}")
    for name, found in sorted(places.items()):
        if len(found) > 1:
            yield f"class {name} has several meanings: {', '.join(found)}"


def glossary_terms(text: str) -> set[str]:
    """Return the terms of the glossary's tables, in lower case."""
    rows = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    return {term.strip().lower() for row in rows for term in row.split(",")}


def read_modules(root: Path) -> list[Module]:
    """Read all modules of the package except migrations, with their importers."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    modules = []
    for name in sorted(graph.modules):
        path = SOURCE.joinpath(*name.split("."))
        path = path / "__init__.py" if (root / path).is_dir() else path.with_suffix(".py")
        if "migrations" not in path.parts:
            text = (root / path).read_text("utf-8")
            importers = graph.find_modules_that_directly_import(name)
            modules.append(Module(path, len(text.splitlines()), importers, _classes(text)))
    return modules


def _classes(text: str) -> dict[str, int]:
    return {node.name: node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)}


def main() -> int:
    """Print the findings and return the exit code."""
    table = tomllib.loads((ROOT / "scripts" / "names.toml").read_text("utf-8"))
    terms = glossary_terms((ROOT / "docs" / "glossary.md").read_text("utf-8"))
    words = {word: instead for word, instead in table["retired"].items() if word not in terms}
    modules = read_modules(ROOT)
    problems = [
        *small_modules(modules),
        *retired_names(modules, words, table["retired_classes"]),
        *repeated_classes(modules, table["several_meanings"]),
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
