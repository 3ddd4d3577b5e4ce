"""Rows that change loaded contacts, as a newer file of the same source: the input of an index update.

Every n-th contact is in it, with the title and location of the contact after it, and a newer day. So values stay
skewed, and bits change in every list of the search engine. The day must be later than any import's: rows
without one count as of the day of their import.
"""

from itertools import islice
from pathlib import Path

import msgspec

from bench.draws import Row
from bench.generate import write_rows

CHANGED = ("jobTitle", "location", "skills", "phones")


def write_changes(rows: Path, stored: int, count: int, path: Path, day: str, *, moved: bool = True) -> None:
    """Write `count` changed rows to `path`, spread evenly over the first `stored` rows of the file `rows`.

    Unless they are `moved`, only their day changes.
    """
    step = max(2, stored // count)
    decode = msgspec.json.Decoder(Row).decode

    def changed(lines: list[bytes]) -> Row:
        row, other = decode(lines[0]), decode(lines[1 if moved else 0])
        values = {name: other[name] for name in CHANGED if name in other}
        return (
            {name: value for name, value in row.items() if name not in CHANGED} | values | {"updateDate": day}
        )

    with rows.open("rb") as lines:
        chunks = iter(lambda: list(islice(lines, step)), [])
        whole = (chunk for chunk in islice(chunks, count) if len(chunk) > 1)
        write_rows((changed(chunk) for chunk in whole), path, lambda _: None)
