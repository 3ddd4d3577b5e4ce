"""README and the guides do as printed: each block runs in its order, in a fresh folder, and prints the answer shown."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_blocks import Block, blocks_of, commands_of, is_answered
from page_session import Session, copy_clone

from services import postgresql
from services.proxy import Certificate

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.slow("pages", "/README.md", "/docs/", "/demo/", "/scripts/demo", "/src/firmograph/cli/"),
]

ROOT = Path(__file__).parents[2]
README = "README.md"
COMMANDS = ("sh", "console")
FIRST_REQUEST = "A first request"
"""Section of the README after which guides go on, where they say so."""


def guides() -> list[str]:
    """Return the pages that docs/README.md lists as guides."""
    table = (ROOT / "docs" / "README.md").read_text().partition("**How-to**")[2].partition("**Reference**")[0]
    return [str((ROOT / "docs" / name).resolve().relative_to(ROOT)) for name in re.findall(r"\]\((.*?)\)", table)]


PAGES = [README, *guides()]


class Reader:
    """Reader of a page who does what it says."""

    def __init__(self, folder: Path, needs: dict[str, dict[str, str]]) -> None:
        self.session = Session(folder)
        self._folder = folder
        self._needs = needs

    def follow(self, page: str, blocks: list[Block]) -> None:
        """Do what blocks say. Raises AssertionError where one does not do as printed."""
        output = ""
        for block in blocks:
            place = f"{page}:{block.line}"
            if block.mark == "answer":
                assert is_answered(block.text, output), f"{place} is not what is printed:\n{output}"
            elif block.mark == "file":
                (self._folder / block.value).write_text(block.text)
            elif block.language in COMMANDS and block.mark != "not run":
                output = self._do(place, block)

    def _do(self, place: str, block: Block) -> str:
        output = ""
        for command in commands_of(block):
            text = command.text
            for printed, own in (self._needs[block.value] if block.mark == "needs" else {}).items():
                text = text.replace(printed, own)
            output, code = self.session.run(text)
            assert code == 0 or command.answer, f"{place} ended with {code}: {command.text}{output}"
            assert command.answer is None or is_answered(command.answer, output), (
                f"{place} does not print this answer: {command.text}{output}"
            )
        return output


@pytest.fixture(scope="module")
def needs(tmp_path_factory) -> Iterator[dict[str, dict[str, str]]]:
    """Return what blocks need: by name, texts of the page with those that take their place here."""
    folder = tmp_path_factory.mktemp("needs")
    certificate = Certificate(folder)
    server = postgresql.PostgreSQL().start() if postgresql.binaries() else None
    found = {
        "certificate": {"fullchain.pem": str(certificate.chain), "privkey.pem": str(certificate.key)}
    }
    if server:
        found["PostgreSQL"] = {
            "postgresql+psycopg://firmograph@localhost/firmograph": server.create("firmograph")
        }
    yield found
    if server:
        server.remove()


@pytest.fixture(scope="module")
def tried(tmp_path_factory, needs) -> Path:
    """Return the folder of a reader who has tried the demonstration, as the README begins."""
    folder = tmp_path_factory.mktemp("tried") / "firmograph"
    copy_clone(ROOT, folder)
    blocks = blocks_of(ROOT / README)
    follow(folder, needs, README, [block for block in blocks if block.section == "Try it"])
    return folder


def follow(folder, needs, page, blocks, *, before=()):
    reader = Reader(folder, needs)
    try:
        reader.follow(README, before)
        reader.follow(page, blocks)
    finally:
        reader.session.close()


@pytest.mark.parametrize("page", PAGES)
def test_each_block_does_as_printed(page, tried, needs, tmp_path):
    folder = tmp_path / "firmograph"
    shutil.copytree(tried, folder, symlinks=True)
    blocks = blocks_of(ROOT / page)
    first = [block for block in blocks_of(ROOT / README) if block.section == FIRST_REQUEST]
    goes_on = page != README and FIRST_REQUEST.lower() in (ROOT / page).read_text().lower()
    available = [block for block in blocks if block.mark != "needs" or block.value in needs]
    if page == README:
        available = [block for block in available if block.section != "Try it"]
    follow(folder, needs, page, available, before=first if goes_on else [])
