"""Printed summary of an import, and of other commands that read a file of rows."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from firmograph.cli.sentences import say

if TYPE_CHECKING:
    from firmograph.ingest.records.unread_values import UnreadValues
    from firmograph.ingest.rejected_rows import RejectedRowsFile
    from firmograph.ingest.summary import Summary

_MAX_UNKNOWN = 20
"""Unknown columns or keys that are printed."""


class FileForm(NamedTuple):
    """How a file is read; empty parts do not apply to its format."""

    encoding: str
    delimiter: str
    columns: list[str] | None = None
    """Header of a table."""


_RARE = {"optedOut", "optedOutSuppressed", "prefetched", "otherSites", "ownTraffic", "closed"}
"""Counts that are not printed where they are 0."""


def _print_opted_out(people: int, *, suppresses: bool) -> None:
    from firmograph.cli.output import plural

    if people:
        hint = "; --suppress-opted-out keeps them out, `firmograph import opted-out` lists them"
        hint = "" if suppresses else hint
        say(f"The file marks {people:,} {plural(people, 'person', 'people')} as opted out{hint}")


_KEY_NAMES = {
    "sourceId": "id",
    "id": "id",
    "linkedinUrl": "LinkedIn URL",
    "email": "e-mail",
    "domain": "domain",
    "nameAndCompany": "name and company",
    "nameAndCountry": "name and country",
}


def _print_joined(joined: Mapping[str, int]) -> None:
    if joined:
        keys = ", ".join(f"{count:,} by {_KEY_NAMES[key]}" for key, count in joined.items())
        say(f"Joined with records of other sources: {sum(joined.values()):,} ({keys})")


def print_summary(summary: "Summary", written: list[str], *, suppresses: bool) -> None:
    """Print the summary; `suppresses` is whether opted-out people are to be suppressed."""
    from firmograph.cli.output import write_fields

    values = summary.values
    counts = {name: count for name, count in summary.json_fields().items() if isinstance(count, int)}
    labels = summary.labels
    write_fields(
        (labels.get(name, name), count) for name, count in counts.items() if count or name not in _RARE
    )
    print_unread(values.unread, values.samples)
    print_changed_lines({"repaired": values.repaired, "skipped": values.skipped})
    print_unknown(values.unknown)
    _print_joined(summary.joined)
    _print_opted_out(summary.opted_out, suppresses=suppresses)
    if summary.complete is False:
        say("Not counted as complete, as rows were rejected: mend them and import the whole file again")
    for path in written:
        say(f"Rejected rows, with reasons: {path}")


def print_values_file(file: "RejectedRowsFile") -> None:
    if file.written:
        say(f"Rejected rows with their values, to mend and import again: {file.path}")
    if file.without_values:
        say(f"Rejected rows that are not in it, as they have no readable values: {file.without_values:,}")


def print_unread(values: Mapping[str, "UnreadValues"], samples: Mapping[str, list[str]]) -> None:
    """Print the number of unread values of each column, and on a terminal the first ones."""
    from firmograph.cli.output import plural

    shown = samples if sys.stdout.isatty() else {}
    for column, unread in values.items():
        say(
            f"Not read: {unread.count:,} of {column!r}, {plural(unread.count, 'line')} {_first_lines(unread)}"
            + quoted_samples(shown.get(column, ()))
        )


def quoted_samples(values: Iterable[str]) -> str:
    """Return unread values as the end of a line of output; nothing without any."""
    from firmograph.cli.output import printable

    quoted = ", ".join(repr(printable(value)) for value in values)
    return f": {quoted}" if quoted else ""


_CHANGED_LINES = {"repaired": "Rows repaired", "skipped": "Skipped, as they are no rows"}


def print_changed_lines(lines: Mapping[str, "UnreadValues"], echo: Callable[[str], None] = say) -> None:
    """Print the repaired and skipped lines, if there are any."""
    for name, each in lines.items():
        if each.count:
            echo(f"{_CHANGED_LINES[name]}: {each.count:,}, lines {_first_lines(each)}")


def print_unknown(counts: Mapping[str, int]) -> None:
    """Print the columns and keys that nothing reads, if there are any."""
    if counts:
        columns = [f"{name!r} ({count:,})" for name, count in list(counts.items())[:_MAX_UNKNOWN]]
        more = ", ..." if len(counts) > _MAX_UNKNOWN else ""
        say(f"Not used, with the rows that have a value: {', '.join(columns)}{more}")


def _first_lines(values: "UnreadValues") -> str:
    more = ", ..." if values.count > len(values.lines) else ""
    return ", ".join(map(str, values.lines)) + more


def form_json(forms: Sequence[FileForm]) -> dict[str, object]:
    """Return encoding and delimiter; a list of those of each file where the files differ."""
    from firmograph.ingest.reading.encodings import encoding_label

    encodings = [encoding_label(form.encoding) or None for form in forms]
    delimiters = [form.delimiter or None for form in forms]
    shown = {"encoding": encodings, "delimiter": delimiters}
    return {name: each[0] if len(set(each)) == 1 else each for name, each in shown.items()}


def print_encodings(files: Sequence[Path], forms: Sequence[FileForm]) -> None:
    """Print the encoding of each text file."""
    from firmograph.ingest.reading.encodings import UTF_8, encoding_label

    for path, form in zip(files, forms, strict=True):
        if encoding := form.encoding:
            hint = "" if encoding == UTF_8 else "; if that is wrong, choose another with --encoding"
            say(f"Encoding of {path}: {encoding_label(encoding)}{hint}")


def no_rows_message(summary: "Summary") -> str:
    from firmograph.cli.output import plural

    if not summary.read:
        return "Nothing was imported: the files have no rows"
    suppressed = f", {summary.suppressed:,} suppressed" if summary.suppressed else ""
    where = f"; see {summary.rejects_file}" if summary.rejects_file else ""
    rows = f"{summary.read:,} {plural(summary.read, 'row')}, {summary.rejected:,} rejected{suppressed}"
    return f"Nothing was imported: {rows}{where}"
