"""README and guides do as printed: their blocks run in order, in a new folder, and print the answers shown."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_blocks import Block, blocks_of, commands_of, is_answered
from page_session import Session, copy_clone

from services import postgresql
from services.proxy import Certificate

pytestmark = pytest.mark.any_database

ROOT = Path(__file__).parents[2]
README = "README.md"
TRY_IT, FIRST_REQUEST = "Try it", "A first request"
"""Sections of the README: all pages go on after the first, and after the second those that link to it."""
RUN = ("sh", "console")


def guides() -> list[str]:
    """Return the pages that docs/README.md lists as guides."""
    table = (ROOT / "docs" / README).read_text().partition("**How-to**")[2].partition("**Reference**")[0]
    return [
        str((ROOT / "docs" / link).resolve().relative_to(ROOT)) for link in re.findall(r"\]\((.*?)\)", table)
    ]


def has_commands(page: str) -> bool:
    """Return whether a page has blocks that run."""
    return any(block.language in RUN and block.mark != "not run" for block in blocks_of(ROOT / page))


PAGES = [README, *guides()]


class Reader:
    """Reader who does what pages say."""

    def __init__(self, folder: Path, needs: dict[str, dict[str, str]]) -> None:
        self.session = Session(folder)
        self._folder = folder
        self._needs = needs
        self._own = {path.name for path in folder.iterdir()}

    def follow(self, page: str, section: str | None = None, *, but: str | None = None) -> None:
        """Do what a page says, or one section of it. Raises AssertionError where a block does not do as printed."""
        output = ""
        for block in blocks_of(ROOT / page):
            if (section and block.section != section) or block.section == but:
                continue
            if block.mark == "file":
                (self._folder / block.value).write_text(block.text)
                self._own.add(block.value)
            elif block.mark == "answer":
                assert is_answered(block.text, output), f"{page}:{block.line} is not the answer:\n{output}"
            elif block.language in RUN and self._is_possible(block):
                output = self._run(f"{page}:{block.line}", block)

    def left(self) -> list[str]:
        """Return the names of files that commands have left in the folder."""
        return sorted({path.name for path in self._folder.iterdir()} - self._own)

    def _is_possible(self, block: Block) -> bool:
        return block.mark != "not run" and (block.mark != "needs" or block.value in self._needs)

    def _run(self, place: str, block: Block) -> str:
        output = ""
        for command in commands_of(block):
            text = command.text
            for printed, own in self._needs.get(block.value, {}).items():
                text = text.replace(printed, own)
            output, code = self.session.run(text)
            assert code == 0 or command.answer, f"{place} ended with {code}:\n{command.text}{output}"
            assert command.answer is None or is_answered(command.answer, output), (
                f"{place} prints another answer:\n{command.text}{output}"
            )
        return output


@pytest.fixture(scope="module")
def needs(tmp_path_factory) -> Iterator[dict[str, dict[str, str]]]:
    """Return what blocks need: by name, words of the page with those that take their place here."""
    certificate = Certificate(tmp_path_factory.mktemp("certificate"))
    found = {"certificate": {"fullchain.pem": str(certificate.chain), "privkey.pem": str(certificate.key)}}
    server = postgresql.PostgreSQL().start() if postgresql.binaries() else None
    if server:
        url = server.create("firmograph")
        found["PostgreSQL"] = {"postgresql+psycopg://firmograph@localhost/firmograph": url}
    yield found
    if server:
        server.remove()


@pytest.fixture(scope="module")
def tried(tmp_path_factory, needs) -> Path:
    """Return the folder of a reader who has tried the demonstration."""
    folder = tmp_path_factory.mktemp("tried") / "firmograph"
    copy_clone(ROOT, folder)
    reader = Reader(folder, needs)
    try:
        reader.follow(README, TRY_IT)
    finally:
        reader.session.close()
    return folder


@pytest.mark.slow("pages", "/README.md", "/docs/", "/src/firmograph/cli/")
@pytest.mark.parametrize("page", [page for page in PAGES if has_commands(page)])
def test_each_block_does_as_printed(page, tried, needs, tmp_path):
    folder = tmp_path / "firmograph"
    shutil.copytree(tried, folder, symlinks=True)
    reader = Reader(folder, needs)
    try:
        if page != README and "(../README.md#a-first-request)" in (ROOT / page).read_text():
            reader.follow(README, FIRST_REQUEST)
        reader.follow(page, but=TRY_IT if page == README else None)
    finally:
        reader.session.close()
    command = ["git", "check-ignore", "--no-index", *reader.left()]
    ignored = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert ignored == reader.left()


@pytest.mark.parametrize("page", PAGES)
def test_each_block_names_its_language(page):
    assert [block.line for block in blocks_of(ROOT / page) if not block.language] == []


@pytest.mark.parametrize("page", PAGES)
def test_each_file_that_a_page_links_to_exists(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize(
    ("printed", "real"),
    [
        ("5 of … contacts", "5 of 33 contacts\n"),
        ("NAME\n…\n2 rows", "NAME\nAda\n\nGrace  \n2 rows"),
        ("NAME\n…", "NAME"),
        ("done", "Rows ━━━━ 100%\n\ndone"),
        (
            '{"id": "v1.…",\n "list": [{…}], "at": "2026-01-01"}',
            '{"id":"v1.a-B","list":[{"a":[1]}],"at":"2027-02-02T10:00:00Z"}',
        ),
        ("table 2731820160634255", "table 4864541500225577"),
    ],
)
def test_an_answer_is_the_one_printed(printed, real):
    assert is_answered(printed, real)


@pytest.mark.parametrize(
    ("printed", "real"),
    [
        ("5 of 33 contacts", "5 of 34 contacts"),
        ("a\n…", "b"),
        ('{"text": "a b"}', '{"text":"ab"}'),
        ("a", "a\nb"),
    ],
)
def test_another_answer_is_noticed(printed, real):
    assert not is_answered(printed, real)
