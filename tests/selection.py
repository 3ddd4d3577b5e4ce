"""Selection of slow tests, and of those of other folders than the package, by what changed since a base commit.

The base is FIRMOGRAPH_TEST_BASE, else where this branch left origin/main. Without one, as on main itself, everything
counts as changed. Two marks are selected:

- `slow(mechanism, *subjects)`: the first test of each mechanism, and all whose subjects changed. Subjects are packages
  or modules below `firmograph`, or the name of the test's folder if none is given. A module counts as changed when one
  that it imports did, by whatever way, except through the composition root, which imports everything. A subject that
  begins with `/` is a file or folder of the project, and nothing that it imports.
- `folders(*names)`: all tests of folders outside the package in which something changed.

A test whose own module changed, or a module of `tests/` that it imports, is run in any case.
"""

import ast
import os
import subprocess
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import grimp
import pytest

from effort import THOROUGH

ROOT = Path(__file__).parents[1]
_PACKAGE = "src/firmograph/"
_COMPOSITION_ROOT = ("firmograph.bootstrap", "firmograph.installation", "firmograph.cli.main")
_OF_ALL_TESTS = (
    *("pyproject.toml", "requirements/", "Makefile", ".ci/", "tests/conftest.py", "tests/selection.py"),
    *(f"{_PACKAGE}{name}" for name in ("bootstrap/", "installation.py", "cli/main.py")),
)
"""Files that every test depends on."""


class Changes(NamedTuple):
    """What a commit or a working tree changed."""

    files: frozenset[str]
    """Paths from the project's folder."""
    modules: frozenset[str]
    """Modules of the package, and those that import them."""


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what nothing that changed concerns. Raises UsageError for an unknown FIRMOGRAPH_TEST_BASE."""
    changes = None if THOROUGH else _changes()
    if changes is None:
        return
    mechanisms: set[str] = set()
    kept, left_out = [], []
    for item in items:
        is_kept = _is_concerned(item, changes)
        slow = item.get_closest_marker("slow")
        if slow and slow.args[0] not in mechanisms:
            mechanisms.add(slow.args[0])
            is_kept = True
        (kept if is_kept else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _is_concerned(item: pytest.Item, changes: Changes) -> bool:
    slow, folders = item.get_closest_marker("slow"), item.get_closest_marker("folders")
    if not slow and not folders:
        return True
    if _imported_tests(item.path) & changes.files:
        return True
    if folders and not any(
        name.startswith(f"{folder}/") for folder in folders.args for name in changes.files
    ):
        return False
    return slow is None or any(_is_changed(subject, changes) for subject in _subjects(item, slow))


def _subjects(item: pytest.Item, slow: pytest.Mark) -> tuple[str, ...]:
    return slow.args[1:] or (item.path.relative_to(ROOT / "tests").parts[0],)


def _is_changed(subject: str, changes: Changes) -> bool:
    if subject.startswith("/"):
        return any(f"/{name}".startswith(subject) for name in changes.files)
    name = f"firmograph.{subject}"
    return any(module == name or module.startswith(f"{name}.") for module in changes.modules)


@cache
def _changes() -> Changes | None:
    """Return what changed since the base; None if all of it counts as changed."""
    base = os.environ.get("FIRMOGRAPH_TEST_BASE") or _branching_point(ROOT)
    if base is None:
        return None
    files = changed_files(ROOT, base)
    if any(name.startswith(_OF_ALL_TESTS) for name in files):
        return None
    return Changes(files, _importers(changed_modules(files)))


def _branching_point(folder: Path) -> str | None:
    """Return the commit at which HEAD left origin/main; None if it did not, or is unknown."""
    head, main = (_git(folder, "rev-parse", "--verify", "-q", name) for name in ("HEAD", "origin/main"))
    if not head or not main or head == main:
        return None
    return _git(folder, "merge-base", head, main)


def changed_files(folder: Path, base: str) -> frozenset[str]:
    """Return the paths that differ from a commit, new files included. Raises UsageError for an unknown commit."""
    differing = _git(folder, "diff", "--name-only", "--no-renames", base)
    if differing is None:
        raise pytest.UsageError(f"FIRMOGRAPH_TEST_BASE={base} is no commit of this repository")
    new = _git(folder, "ls-files", "--others", "--exclude-standard") or ""
    return frozenset([*differing.splitlines(), *new.splitlines()])


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints, None if it fails or is not there."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def changed_modules(files: Iterable[str]) -> set[str]:
    """Return the modules of changed files; a data file stands for the packages that contain it."""
    modules = set()
    for name in files:
        if name.startswith(_PACKAGE):
            path = Path(name.removeprefix("src/"))
            module = path.with_suffix("") if path.suffix == ".py" else path.parent
            modules.add(".".join(module.parts).removesuffix(".__init__"))
    return modules


@cache
def _graph() -> grimp.ImportGraph:
    """Return the imports of the package without its composition root, through which everything imports everything."""
    graph = grimp.build_graph("firmograph", cache_dir=None)
    for module in list(graph.modules):
        if module.startswith(_COMPOSITION_ROOT) or module.endswith(("registration", "wiring")):
            graph.remove_module(module)
    return graph


def _importers(modules: Collection[str]) -> frozenset[str]:
    """Return the modules, and all that import them."""
    found = set(modules)
    for module in modules:
        # a folder of data, or a deleted module, is in no import: its package's modules stand for it
        own = [each for each in _graph().modules if each == module or each.startswith(f"{module}.")]
        own = own or [each for each in _graph().modules if each.startswith(f"{module.rpartition('.')[0]}.")]
        found.update(own)
        for each in own:
            found |= _graph().find_downstream_modules(each)
    return frozenset(found)


@cache
def _imported_tests(path: Path) -> frozenset[str]:
    """Return the paths of a test module, of the `conftest.py` files above it, and of what they import in `tests/`."""
    tests = ROOT / "tests"
    above = [folder / "conftest.py" for folder in path.parents if folder.is_relative_to(tests)]
    pending, found = [path, *above], set()
    while pending:
        current = pending.pop()
        if current in found or not current.exists():
            continue
        found.add(current)
        names = _imported_names(current)
        pending += [folder / f"{name}.py" for name in names for folder in (current.parent, tests)]
    return frozenset(str(each.relative_to(ROOT)) for each in found)


def _imported_names(path: Path) -> set[str]:
    """Return the imported modules as paths; a name imported from a module may be one."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name.replace(".", "/") for name in names if not name.startswith("firmograph")}
