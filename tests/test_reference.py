"""docs/reference compared with its generating program, and every link and reference to it."""

import re
import runpy
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_database

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "reference").glob("*.md"))

MOST_LINES_OF_PROSE = 300


def prose(page):
    """Return a page without its generated tables, and without the reasons at its end."""
    text = page.read_text().partition("\n## Decisions\n")[0]
    return re.sub(r"<!-- table: .*?<!-- end of table -->", "", text, flags=re.DOTALL)


@cache
def anchors(page):
    """Return the anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while (anchor := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(anchor)
    return found


def is_there(page, anchor):
    return page.exists() and (not anchor or anchor in anchors(page))


def test_the_tables_match_the_output_of_the_script(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["build_reference.py", str(tmp_path)])
    monkeypatch.syspath_prepend(ROOT / "scripts")
    runpy.run_path(str(ROOT / "scripts" / "build_reference.py"), run_name="__main__")
    for page in PAGES:
        written = (tmp_path / page.name).read_text()
        assert written == page.read_text(), f"{page.name} differs; make reference writes its tables"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_to_an_existing_target(page):
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", prose(page))
    assert [
        f"{path}#{anchor}"
        for path, anchor in links
        if not is_there((page.parent / path).resolve() if path else page, anchor)
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_prose_of_a_page_is_short(page):
    assert len(prose(page).splitlines()) < MOST_LINES_OF_PROSE


# --- references in comments and docstrings ---

FOLDERS = ("src", "tests", "bench", "evaluation", "scripts", "docs")
TEXTS = {".py", ".toml", ".tsv", ".txt", ".lua", ".md", ".js", ".mako"}

REFERENCE = re.compile(r"docs/((?:reference/)?[\w-]+\.md)(?:#([\w-]+))?")


@cache
def sources():
    """Return the text of each file that may refer to a page."""
    return {
        path.relative_to(ROOT): path.read_text()
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in TEXTS and "__pycache__" not in path.parts
    }


def test_every_reference_to_a_page_leads_to_an_existing_heading():
    references = [(path, *match) for path, text in sources().items() for match in REFERENCE.findall(text)]
    assert len(references) > 100
    assert [
        f"{path}: docs/{page}#{anchor}"
        for path, page, anchor in references
        if not is_there(DOCS / page, anchor)
    ] == []
