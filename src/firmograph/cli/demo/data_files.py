"""Packaged data of the demonstration: real open data, and some records made up to show every field.

`data/NOTICE` names their sources and licences; `scripts/pack_demo_data.py` writes them.
"""

import hashlib
import lzma
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from firmograph.kit.atomic_files import atomic_write

_DATA: Final = files(__package__) / "data"
NOTICE: Final = "NOTICE"


class DataFile(NamedTuple):
    kind: str
    """What `firmograph import` calls it."""
    name: str
    source: str
    ending: str = "jsonl"


FILES: Final = (
    DataFile("companies", "companies", "demo"),
    # people who changed their job come in two versions each, and again with the others in their present state
    DataFile("contacts", "job-changes", "demo"),
    DataFile("contacts", "contacts", "demo"),
    DataFile("headcounts", "made-up-headcounts", "made-up"),
    DataFile("traffic", "made-up-traffic", "made-up"),
    DataFile("it-spend", "made-up-it-spend", "made-up"),
    DataFile("jobs", "jobs", "usajobs"),
    DataFile("jobs", "made-up-jobs", "made-up"),
    DataFile("news", "news", "sec-and-crunchbase"),
    DataFile("news", "made-up-news", "made-up"),
    DataFile("posts", "made-up-posts", "made-up"),
)
"""Files in the order of their import: facts are only taken of companies that are held."""
NETWORKS: Final = DataFile("networks", "made-up-networks", "made-up", "csv")
VISITS: Final = DataFile("visits", "visits", "semicomplete.com", "log")
"""Access log of that website."""
WITHOUT_PHONES: Final = DataFile("contacts", "without-phones", "made-up")
"""People of a second server; the contacts above have them with their phones."""
CONVERSATIONS: Final = (
    DataFile("conversations", "calls", "made-up"),
    DataFile("conversations", "meetings", "qmsum"),
)
"""Files of an account."""


def version() -> str:
    """Return a digest of all files, which changes with a release that has other data."""
    digest = hashlib.sha256()
    for file in (*FILES, NETWORKS, VISITS, WITHOUT_PHONES, *CONVERSATIONS):
        digest.update(_packed(file))
    return digest.hexdigest()


def unpack(file: DataFile, folder: Path) -> Path:
    """Write a file and return its path; the NOTICE comes with it."""
    path = folder / f"{file.name}.{file.ending}"
    for written, content in (
        (folder / NOTICE, (_DATA / NOTICE).read_bytes()),
        (path, lzma.decompress(_packed(file))),
    ):
        with atomic_write(written, replace=True) as draft:
            draft.write_bytes(content)
    return path


def _packed(file: DataFile) -> bytes:
    return (_DATA / f"{file.name}.{file.ending}.xz").read_bytes()
