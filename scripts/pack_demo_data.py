"""Pack the data of `firmograph demo` from demo/: people, facts, conversations, visits, a part of the companies.

Writes xz files and the NOTICEs as one into the package; the same input gives the same bytes. `--check` compares them
instead.
The companies left out are listed companies, startups and research organisations of which
little more than name, place and industry is known; with all of them the demonstration would take three times as long.
"""

import gzip
import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

Row = dict[str, Any]

ROOT: Final = Path(__file__).resolve().parents[1]
DEMO: Final = ROOT / "demo"
OUTPUT: Final = ROOT / "src/firmograph/cli/demo/data"

_SHOWN: Final = {
    "siemens.com",
    "amd.com",
    "intel.com",
    "nvidia.com",
    "qualcomm.com",
    "broadcom.com",
    "cisco.com",
    "redhat.com",
    "bjs.gov",
}
"""Companies that the demonstration and the guides name."""
_KEPT_KINDS: Final = {"made-up", "body", "sp500", "adopter", "cncf", "exhibit21"}
_INFORMATIVE: Final = {"technologies", "socialLinks", "parents", "phones"}
"""Fields that few listed companies and startups have."""
_EVERY: Final = {"fd": 5, "yc": 5, "ror": 15}
"""Share of the others that is kept, by kind."""


def packed_files() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, not compressed yet."""
    for path in sorted([*DEMO.rglob("*.jsonl.gz"), *DEMO.rglob("*.jsonl")]):
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        if path.name == "companies.jsonl.gz":
            content = b"".join(_selected(content.splitlines(keepends=True)))
        elif path.name == "contacts.jsonl.gz":
            yield "without-phones.jsonl", b"".join(_without_phones(content.splitlines()))
        yield path.name.removesuffix(".gz"), content
    yield "visits.log", gzip.decompress((DEMO / "visits.log.gz").read_bytes())
    yield "made-up-networks.csv", (DEMO / "made-up-networks.csv").read_bytes()


def packed_notice() -> bytes:
    """Return the NOTICE of all of it."""
    return b"\n".join((folder / "NOTICE").read_bytes() for folder in (DEMO, DEMO / "conversations"))


def _without_phones(lines: list[bytes]) -> Iterator[bytes]:
    """Yield the people that are made up, as a second server of the demonstration has them."""
    for line in lines:
        row: Row = json.loads(line)
        if row["sourceId"].startswith("made-up:"):
            del row["phones"]
            yield json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _selected(lines: list[bytes]) -> list[bytes]:
    """Return the lines of the companies to keep, with their owners, in their order."""
    rows: list[Row] = [json.loads(line) for line in lines]
    named = _named() | _SHOWN
    places = {key: place for place, row in enumerate(rows) for key in _keys(row)}
    pending = [place for place, row in enumerate(rows) if _is_kept(place, row, named)]
    kept: set[int] = set()
    while pending:
        place = pending.pop()
        if place not in kept:
            kept.add(place)
            owners = [key for owner in rows[place].get("parents", ()) for key in _keys(owner)]
            pending += [places[key] for key in owners if key in places]
    return [lines[place] for place in sorted(kept)]


def _is_kept(place: int, row: Row, named: set[str]) -> bool:
    kind = row["sourceId"].partition(":")[0]
    if kind in _KEPT_KINDS or named & _keys(row):
        return True
    return place % _EVERY[kind] == 0 or (kind != "ror" and bool(row.keys() & _INFORMATIVE))


def _keys(company: Row) -> set[str]:
    return {company[field] for field in ("domain", "name") if field in company}


def _named() -> set[str]:
    """Return the domains and names of companies that people and facts name."""
    named: set[str] = set()
    for path in DEMO.rglob("*.jsonl.gz"):
        if path.name == "companies.jsonl.gz":
            continue
        for line in gzip.decompress(path.read_bytes()).splitlines():
            row = json.loads(line)
            for company in (row.get("company"), *row.get("companies", ())):
                named |= _keys(company) if isinstance(company, dict) else {company} if company else set()
    return named


def _check() -> None:
    """Exit with a message if the packaged files are not those of demo/."""
    for name, content in packed_files():
        if lzma.decompress((OUTPUT / f"{name}.xz").read_bytes()) != content:
            sys.exit(f"{name} is not as demo/ has it; run scripts/pack_demo_data.py")
    if (OUTPUT / "NOTICE").read_bytes() != packed_notice():
        sys.exit("NOTICE is not as demo/ has it; run scripts/pack_demo_data.py")


def _write() -> None:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    size = 0
    for name, content in packed_files():
        packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
        (OUTPUT / f"{name}.xz").write_bytes(packed)
        size += len(packed)
        print(f"{name}: {len(content.splitlines()):,} lines, {len(packed):,} bytes")
    (OUTPUT / "NOTICE").write_bytes(packed_notice())
    print(f"{size:,} bytes in all")


if __name__ == "__main__":
    _check() if sys.argv[1:] == ["--check"] else _write()
