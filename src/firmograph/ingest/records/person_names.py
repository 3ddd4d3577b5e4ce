"""Names of people in rows (docs/reference/records.md#placeholders)."""

from firmograph.directory.names import fold, split_full_name
from firmograph.directory.normalise.placeholders import (
    are_placeholder_names,
    is_placeholder_name,
    is_placeholder_text,
)
from firmograph.ingest.reading.inputs import ContactInput
from firmograph.ingest.records.values import line


def read_names(row: ContactInput) -> tuple[str | None, str | None, str | None]:
    """Return first, last and full name, without placeholders; missing ones are derived from the others."""
    first, last, full = _given_names(line(row.first_name), line(row.last_name), row.full_name)
    if full and not first and not last:
        split_first, split_last = split_full_name(full)
        return split_first or None, split_last or None, full
    if full and not (first and last):
        return _complete_names(first, last, full)
    if not full:
        full = f"{first} {last}" if first and last else first or last
    return first, last, full


def _given_names(
    first: str | None, last: str | None, full: str | None
) -> tuple[str | None, str | None, str | None]:
    """Return the names without placeholders."""
    if first and last and are_placeholder_names(first, last):
        first = last = None
    if first and is_placeholder_name(first):
        first = None
    if last and is_placeholder_name(last):
        last = None
    return first, last, read_full_name(full)


def read_full_name(value: str | None, limit: int = 500) -> str | None:
    """Return a person's full name on one line, without placeholders."""
    full = line(value, limit)
    if not full:
        return None
    words = full.split(" ")
    if is_placeholder_name(full) or (len(words) > 1 and is_placeholder_text(full)):
        return None
    if is_placeholder_name(words[0]) or is_placeholder_name(words[-1]):
        return " ".join(word for word in words if not is_placeholder_name(word)) or None
    return None if len(words) == 2 and are_placeholder_names(*words) else full


def _complete_names(first: str | None, last: str | None, full: str) -> tuple[str | None, str | None, str]:
    """Return the names, with the missing half taken from the full name.

    A column for full names may contain only one half: `Nom` may mean either, `Name` next to `Vorname` the last name.
    """
    half = first or last or ""
    for rest in (
        full.removeprefix(f"{half} "),
        full.removesuffix(f" {half}"),
        full.removesuffix(f", {half}"),
    ):
        if rest != full:
            return (first, rest, full) if first else (rest, last, full)
    if fold(half) == fold(full):
        return first, last, full
    return (first, full, f"{first} {full}") if first else (full, last, f"{full} {last}")
