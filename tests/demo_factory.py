"""Parts of the demo data, for tests to which the whole of it would only add time."""

import gzip
from pathlib import Path

DEMO = Path(__file__).parents[1] / "demo"


def demo_part(name: str, folder: Path, every: int) -> Path:
    """Write every so manyth row of a demo file, and all rows made up to show each field, to a file in a folder."""
    path = folder / f"{name}.jsonl.gz"
    with gzip.open(DEMO / path.name) as file:
        rows = [row for place, row in enumerate(file) if place % every == 0 or b'"made-up:' in row]
    path.write_bytes(gzip.compress(b"".join(rows), 1))
    return path
