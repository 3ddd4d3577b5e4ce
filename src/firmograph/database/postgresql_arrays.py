"""Lists of numbers, octets and texts as PostgreSQL's binary arrays, made at once: the driver turns each value by itself
into text, at ten times the cost."""

from collections.abc import Iterable
from struct import Struct
from typing import Any, Final

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEAD: Final = Struct("!iiIii").pack
"""Dimensions, flags, type of the values, how many there are, the number of the first."""
_NUMBER: Final = Struct("!iq").pack
_LENGTH: Final = Struct("!i").pack


class Array(bytes):
    """A list on its way to the server."""


class _Numbers(Array):
    pass


class _Octets(Array):
    pass


class _Texts(Array):
    pass


class _Nothing(Array):
    """Without values there is no type either; the server takes that of what it is compared with."""


def array(given: Iterable[Any]) -> Array:
    """All of the values are integers of 64 bits, or octets, or texts."""
    values = list(given)
    if not values:
        return _Nothing(b"{}")
    if isinstance(values[0], int):
        return _Numbers(_head("int8", values) + b"".join([_NUMBER(8, value) for value in values]))
    if isinstance(values[0], bytes):
        return _Octets(_head("bytea", values) + b"".join([_LENGTH(len(value)) + value for value in values]))
    encoded = [value.encode() for value in values]
    return _Texts(_head("text", values) + b"".join([_LENGTH(len(value)) + value for value in encoded]))


def _head(kind: str, values: list[Any]) -> bytes:
    return _HEAD(1, 0, psycopg.postgres.types[kind].oid, len(values), 1)


def register(connection: "psycopg.Connection[Any]") -> None:
    """Let a connection take arrays as parameters."""
    for kind, name in ((_Numbers, "int8"), (_Octets, "bytea"), (_Texts, "text")):
        connection.adapters.register_dumper(
            kind, _dumper(psycopg.postgres.types[name].array_oid, Format.BINARY)
        )
    connection.adapters.register_dumper(_Nothing, _dumper(0, Format.TEXT))


def _dumper(kind: int, its_format: Format) -> type[Dumper]:
    class Whole(Dumper):
        oid = kind
        format = its_format

        def dump(self, obj: Array) -> Buffer:
            return obj

    return Whole
