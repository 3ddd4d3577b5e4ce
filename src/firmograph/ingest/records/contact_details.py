"""Merging of several entries for one e-mail or phone.

Each detail comes from the newest entry that states it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from firmograph.directory.records import Email, Phone

_UNKNOWN = "unknown"

S = TypeVar("S", bound=msgspec.Struct)
V = TypeVar("V")


def unite_emails(entries: Iterable[tuple[Email, bool]]) -> list[Email]:
    """Return each address once. Entries come newest first, with whether they state their type.

    A stated type wins over a derived one; `unknown` counts as neither.
    """
    return [_unite_email(group) for group in _group_by(entries, lambda entry: entry[0].email)]


def _unite_email(entries: Sequence[tuple[Email, bool]]) -> Email:
    if len(entries) == 1:
        return entries[0][0]
    merged = fill_empty_fields([email for email, _ in entries])
    known = [(email.type, stated) for email, stated in entries if email.type != _UNKNOWN]
    merged.type = next((type for type, stated in known if stated), known[0][0] if known else _UNKNOWN)
    return merged


def unite_phones(entries: Iterable[Phone]) -> list[Phone]:
    """Return each number once, from entries newest first; it is do-not-call if any entry says so."""
    return [_unite_phone(group) for group in _group_by(entries, lambda phone: phone.number)]


def _unite_phone(entries: Sequence[Phone]) -> Phone:
    if len(entries) == 1:
        return entries[0]
    merged = fill_empty_fields(entries)
    merged.type = next((phone.type for phone in entries if phone.type != _UNKNOWN), _UNKNOWN)
    return merged


def _group_by(entries: Iterable[V], key: Callable[[V], str]) -> Iterable[list[V]]:
    groups: dict[str, list[V]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups.values()


def fill_empty_fields(newest: Sequence[S]) -> S:
    """Return a copy of the first with empty fields filled from the first of the others that has a value."""
    merged = msgspec.structs.replace(newest[0])
    for field in merged.__struct_fields__:
        if getattr(merged, field) in _EMPTY:
            value = next((v for other in newest[1:] if (v := getattr(other, field)) not in _EMPTY), None)
            if value is not None:
                setattr(merged, field, value)
    return merged


_EMPTY: tuple[object, ...] = (None, "", [], False)
