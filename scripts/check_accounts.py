"""The account check: refuses statements on tables of accounts that do not name the account.

A table with an account column belongs to accounts. A statement on one must bind the account, as a condition or as a
value, and the function that runs it takes the account as an `AccountSession`. `scripts/accounts.toml` lists the
exceptions with their reasons.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src")
PACKAGE = "firmograph"

COLUMN = "account_id"
PARAMETERS = frozenset({"account", COLUMN})
"""Names of the parameter that binds the account in a statement."""
RUNNERS = frozenset({"all", "one", "execute", "many", "all_in", "run_in", "load"})
"""Methods of a session that run the statement, or fill the table, of their first argument."""
ALTERNATIVES = frozenset({"or_", "not_"})
"""Functions whose conditions need not hold."""
WRITERS = frozenset({"BatchDeletion", "KeyRevocations", "Leases"})
"""Classes that make statements of a table by themselves."""
SQL = re.compile(r"\b(?:from|into|update|join)\s+(\w+)", re.IGNORECASE)
"""Table in the text of a statement, which can bind no account here."""


class Access(NamedTuple):
    """Function, or name at module level, with a statement on owned tables."""

    path: Path
    line: int
    name: str
    tables: tuple[str, ...]
    names_account: bool
    """Whether the statement binds the account."""
    in_session: bool
    """Whether the session that runs it is an `AccountSession` that the function takes."""

    @property
    def key(self) -> str:
        """Key of an exception: `firmograph.webhooks.erasure_store.mark_cancelled`."""
        module = ".".join(self.path.relative_to(SOURCE).with_suffix("").parts)
        return f"{module}.{self.name}"


def owned_tables(trees: Mapping[Path, ast.Module]) -> set[str]:
    """Return the names of the tables with an account column."""
    return {
        target.id
        for path, tree in trees.items()
        if path.stem == "tables"
        for node in tree.body
        if isinstance(node, ast.Assign) and _declares_account(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _declares_account(value: ast.expr) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == "account_column")
        or (isinstance(node, ast.Constant) and node.value == COLUMN)
        for node in ast.walk(value)
        if isinstance(value, ast.Call) and _called_name(value) == "Table"
    )


def find_accesses(path: Path, tree: ast.Module, owned: Iterable[str]) -> Iterator[Access]:
    """Yield the accesses of a module to owned tables."""
    module = _Module(tree, frozenset(owned))
    for name, body in module.definitions.items():
        for node in ast.walk(body):
            if isinstance(node, ast.Call) and (statement := _statement(node)) is not None:
                parts = [*module.parts(statement, _assignments(body))]
                tables = sorted({found for part in parts for found in module.tables(part)})
                if tables:
                    in_session = _is_in_account_session(node, body)
                    # its `load` adds the account to rows
                    names_account = (in_session and _called_name(node) == "load") or any(
                        module.binds_account(each)
                        for part in module.parts(statement, _assignments(body), _certain)
                        for each in _certain(part)
                    )
                    yield Access(path, node.lineno, name, tuple(tables), names_account, in_session)


class _Module:
    """Definitions at the top of a module, with the owned tables that it imports or declares."""

    def __init__(self, tree: ast.Module, owned: frozenset[str]) -> None:
        named = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        rest = ast.Module([node for node in tree.body if node not in named], [])
        self.definitions = _assignments(rest) | {node.name: node for node in named}
        self._names = owned
        self._owned = {
            alias.asname or alias.name: alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("tables")
            for alias in node.names
            if alias.name in owned
        }

    def tables(self, part: ast.AST) -> Iterator[str]:
        """Yield the owned tables that a part of a statement refers to by name."""
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and node.id in self._owned:
                yield self._owned[node.id]
            elif isinstance(node, ast.Attribute) and node.attr in self._names and _is_tables(node.value):
                yield node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from self._names.intersection(SQL.findall(node.value))

    def binds_account(self, node: ast.AST) -> bool:
        """Return whether a node binds the account: `c.account_id == bindparam("account")`, or as a value."""
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            return (
                all(isinstance(operator, ast.Eq) for operator in node.ops)
                and any(_is_column(side) for side in sides)
                and any(self._is_parameter(side) for side in sides)
            )
        if isinstance(node, ast.keyword):
            return node.arg == COLUMN and self._is_parameter(node.value)
        if isinstance(node, ast.DictComp):
            return any(_is_text(each, {COLUMN}) for each in ast.walk(node.generators[0].iter))
        return isinstance(node, ast.Dict) and any(
            key is not None and _is_text(key, {COLUMN}) and self._is_parameter(value)
            for key, value in zip(node.keys, node.values, strict=True)
        )

    def _is_parameter(self, node: ast.AST | None) -> bool:
        if isinstance(node, ast.Name):
            node = self.definitions.get(node.id)
        return (
            isinstance(node, ast.Call)
            and _called_name(node) == "bindparam"
            and bool(node.args)
            and _is_text(node.args[0], PARAMETERS)
        )

    def parts(
        self,
        statement: ast.expr,
        local: Mapping[str, ast.AST],
        walk: Callable[[ast.AST], Iterator[ast.AST]] = ast.walk,
    ) -> Iterator[ast.AST]:
        """Yield a statement and everything that it refers to in its function and its module, as far as it is walked."""
        seen: set[str] = set()
        pending: list[ast.AST] = [statement]
        while pending:
            part = pending.pop()
            yield part
            for node in walk(part):
                if isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    found = local.get(node.id) or self.definitions.get(node.id)
                    if found is not None:
                        pending.append(found)


def _certain(part: ast.AST) -> Iterator[ast.AST]:
    """Walk what holds for each row of a statement: not what is one of several alternatives, or negated."""
    if _is_alternative(part):
        return
    yield part
    for each in ast.iter_child_nodes(part):
        yield from _certain(each)


def _is_alternative(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _called_name(node) in ALTERNATIVES
    if isinstance(node, ast.BinOp):
        # of dictionaries the sign makes one of both
        mapping = any(isinstance(side, ast.Dict | ast.DictComp) for side in (node.left, node.right))
        return isinstance(node.op, ast.BitOr) and not mapping
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)


def _assignments(body: ast.AST) -> dict[str, ast.AST]:
    """Return the values that names get in a body; names unpacked from one value share it."""
    found: dict[str, ast.AST] = {}
    for node in ast.walk(body):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name, value in _targets(target, node.value):
                    # a statement may be built on an earlier value of its own name
                    found[name] = ast.Tuple([found[name], value]) if name in found else value
    return found


def _targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, of_part in zip(target.elts, value.elts, strict=False):
            yield from _targets(part, of_part)
    elif isinstance(target, ast.Tuple):
        for part in target.elts:
            yield from _targets(part, value)
    elif isinstance(target, ast.Name):
        yield target.id, value


def _statement(call: ast.Call) -> ast.expr | None:
    """Return the statement that a call runs, or the call itself if it makes statements of a table."""
    if _called_name(call) in WRITERS:
        return call
    is_method = isinstance(call.func, ast.Attribute)
    if not is_method or _called_name(call) not in RUNNERS:
        return None
    return call.args[0] if call.args else next((each.value for each in call.keywords), None)


def _called_name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_in_account_session(call: ast.Call, body: ast.AST) -> bool:
    """Return whether a call is of a method of an `AccountSession` that is an argument of its function."""
    runner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(runner, ast.Name) and any(
        argument.arg == runner.id
        for function in ast.walk(body)
        if isinstance(function, ast.FunctionDef)
        for argument in function.args.args
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "AccountSession"
    )


def _is_column(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == COLUMN
    return isinstance(node, ast.Subscript) and _is_text(node.slice, {COLUMN})


def _is_tables(node: ast.AST) -> bool:
    """Return whether a node is a module of tables: `tables`, `billing.tables`."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return str(name).endswith("tables")


def _is_text(node: ast.AST, texts: Collection[str]) -> bool:
    return isinstance(node, ast.Constant) and node.value in texts


def read_modules(root: Path) -> dict[Path, ast.Module]:
    """Parse all modules of the package but migrations."""
    return {
        path.relative_to(root): ast.parse(path.read_text("utf-8"))
        for path in sorted((root / SOURCE / PACKAGE).rglob("*.py"))
        if "migrations" not in path.parts
    }


def problems(accesses: Iterable[Access], exceptions: Collection[str]) -> Iterator[str]:
    """Yield a message for each access against the rules, and for each listed function that keeps them."""
    needed = set()
    for access in accesses:
        if access.names_account and access.in_session:
            continue
        if access.key in exceptions:
            needed.add(access.key)
            continue
        tables = ", ".join(access.tables)
        yield f"{access.path}:{access.line}: {access.name}: " + (
            f"takes the account of {tables} outside its session; take an AccountSession"
            if access.names_account
            else f"the statement on {tables} does not name the account"
        )
    for key in set(exceptions) - needed:
        yield f"scripts/accounts.toml: {key}: not needed; remove it"


def _keys(functions: Mapping[str, Iterable[str]]) -> list[str]:
    return [f"{PACKAGE}.{module}.{name}" for module, names in functions.items() for name in names]


def main(root: Path = ROOT) -> int:
    """Print what is wrong in a project and return the exit code."""
    listed = tomllib.loads((root / "scripts" / "accounts.toml").read_text("utf-8"))
    exceptions = [key for one in listed["exception"] for key in _keys(one["functions"])]
    trees = read_modules(root)
    owned = owned_tables(trees)
    accesses = [each for path, tree in trees.items() for each in find_accesses(path, tree, owned)]
    found = sorted(problems(accesses, exceptions))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
