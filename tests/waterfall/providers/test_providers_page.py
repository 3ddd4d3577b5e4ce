"""The page of the providers file: its examples are read as they are printed."""

from pathlib import Path

import pytest

from docs.page_blocks import blocks_of
from waterfall.providers.asking import ENVIRON, JANE, load

pytestmark = pytest.mark.no_database

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "providers-file.md"


def test_the_examples_of_the_page_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(ENVIRON, "SISTER_API_KEY", "a-key")
    (tmp_path / "finder.key").write_text("a-key\n")
    (tmp_path / "people.csv").write_text("Email\njane@acme.com\n")
    examples = [block.text for block in blocks_of(PAGE) if block.language == "toml"]
    providers = load(tmp_path, "\n".join(examples))
    assert [providers.get(name).kind for name in providers.names()] == ["firmograph", "http", "file"]
    assert all(providers.get(name).can_ask(JANE, "phones") for name in providers.names())
