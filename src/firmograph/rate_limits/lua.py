"""Translation of the rules of rate limits into Lua.

The rules are methods of a Python class, and the script for Redis has the same methods in Lua. Only the small part of
Python that has the same meaning in both languages is translated: assignments, `if`, `for` over a range with a step,
arithmetic with numbers that are not negative, comparisons, and calls. Anything else raises TypeError.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

_FUNCTIONS: Final = {"int": "math.floor", "max": "math.max"}

_OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Eq: "==",
    ast.Is: "==",
    ast.NotEq: "~=",
    ast.IsNot: "~=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "and",
    ast.Or: "or",
}


def translate_methods(methods: Iterable[Callable[..., Any]]) -> str:
    """Return the methods as local functions, each after those that it calls.

    Numbers of their module are written out, its named tuples become lists, its dictionaries tables of the same name.
    """
    tables: dict[str, str] = {}
    lines = [line for method in methods for line in _Method(method, tables).lines()]
    return "\n".join([*tables.values(), *lines, ""])


class _Method:
    """Translation of one method; the definitions of the tables that it uses are added to `tables`."""

    def __init__(self, method: Callable[..., Any], tables: dict[str, str]) -> None:
        self._source = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
        self._globals: dict[str, Any] = method.__globals__
        self._tables = tables

    def lines(self) -> Iterator[str]:
        source = self._source
        if not isinstance(source, ast.FunctionDef):
            raise _untranslatable(source)
        yield f"local function {source.name}({', '.join(each.arg for each in source.args.args)})"
        stored = (each for each in ast.walk(source) if isinstance(each, ast.Name))
        local = dict.fromkeys(each.id for each in stored if isinstance(each.ctx, ast.Store))
        if local:
            yield f"    local {', '.join(local)}"
        yield from self._block(source.body)
        yield "end"

    def _block(self, statements: list[ast.stmt]) -> Iterator[str]:
        return (f"    {line}" for statement in statements for line in self._statement(statement))

    def _statement(self, node: ast.stmt) -> Iterator[str]:
        """Yield the lines of a statement; a docstring has none."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield f"{self._value(node.targets[0])} = {self._value(node.value)}"
        elif isinstance(node, ast.AugAssign):
            target = self._value(node.target)
            yield f"{target} = {target} {_operator(node.op)} {self._value(node.value)}"
        elif isinstance(node, ast.Return) and node.value is not None:
            yield f"do return {self._value(node.value)} end"
        elif isinstance(node, ast.If):
            yield f"if {self._condition(node.test)} then"
            yield from self._block(node.body)
            if node.orelse:
                yield "else"
                yield from self._block(node.orelse)
            yield "end"
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            begin, end, step = map(self._value, node.iter.args)
            yield f"for {self._value(node.target)} = {begin}, {end} - 1, {step} do"
            yield from self._block(node.body)
            yield "end"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield self._value(node.value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise _untranslatable(node)

    def _condition(self, node: ast.expr) -> str:
        """Translate a comparison; other values count as true or false by different rules."""
        if isinstance(node, ast.BoolOp):
            return "(" + f" {_operator(node.op)} ".join(map(self._condition, node.values)) + ")"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return f"{self._value(node.left)} {_operator(node.ops[0])} {self._value(node.comparators[0])}"
        raise _untranslatable(node)

    def _value(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Constant):
            return _literal(node.value)
        if isinstance(node, ast.Attribute):
            return f"{self._value(node.value)}.{node.attr}"
        if isinstance(node, ast.Subscript):
            return f"{self._value(node.value)}[{self._value(node.slice)}]"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return f"math.fmod({self._value(node.left)}, {self._value(node.right)})"
        if isinstance(node, ast.BinOp):
            return f"({self._value(node.left)} {_operator(node.op)} {self._value(node.right)})"
        if isinstance(node, ast.Call) and not node.keywords:
            return self._call(node.func, ", ".join(map(self._value, node.args)))
        raise _untranslatable(node)

    def _name(self, name: str) -> str:
        value = self._globals.get(name)
        if isinstance(value, dict):
            members = ", ".join(f"{key} = {_literal(item)}" for key, item in value.items())
            self._tables[name] = f"local {name} = {{{members}}}"
        return _literal(value) if isinstance(value, int) else name

    def _call(self, function: ast.expr, arguments: str) -> str:
        """Translate a call: the methods of `self` are functions, those of its attributes stay methods."""
        if isinstance(function, ast.Name) and hasattr(self._globals.get(function.id), "_fields"):
            return f"{{{arguments}}}"
        if isinstance(function, ast.Name) and function.id in _FUNCTIONS:
            return f"{_FUNCTIONS[function.id]}({arguments})"
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Attribute):
            return f"{self._value(function.value)}:{function.attr}({arguments})"
        if isinstance(function, ast.Attribute) and ast.unparse(function.value) == "self":
            return f"{function.attr}({', '.join(filter(None, ['self', arguments]))})"
        raise _untranslatable(function)


def _operator(node: ast.AST) -> str:
    if type(node) not in _OPERATORS:
        raise _untranslatable(node)
    return _OPERATORS[type(node)]


def _literal(value: Any) -> str:
    return "nil" if value is None else repr(value)


def _untranslatable(node: ast.AST) -> TypeError:
    return TypeError(f"{ast.unparse(node)} means something else in Lua")
