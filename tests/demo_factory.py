"""Parts of the demo data, for tests to which the whole of it would only add time."""

import gzip
from collections.abc import Sequence
from pathlib import Path

DEMO = Path(__file__).parents[1] / "demo"


def demo_part(name: str, folder: Path, every: int, named: Sequence[str] = ()) -> Path:
    """Write a part of a demo file to a file in a folder.

    It has every so manyth row, all rows made up to show each field, and those that contain a text of `named`.
    """
    texts = [text.encode() for text in ('"made-up:', *named)]
    path = folder / f"{name}.jsonl.gz"
    with gzip.open(DEMO / path.name) as file:
        rows = [
            row for place, row in enumerate(file) if place % every == 0 or any(text in row for text in texts)
        ]
    path.write_bytes(gzip.compress(b"".join(rows), 1))
    return path
