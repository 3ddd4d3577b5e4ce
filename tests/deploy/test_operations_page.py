"""docs/operations.md, compared with the program: settings and their defaults, commands, files."""

import re

import pytest
from deployment_files import PAGE, check_command, commands_of

from firmograph.settings import Settings

pytestmark = pytest.mark.no_database

TEXT = PAGE.read_text()


def as_documented(default):
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return "none" if default in ("", None) else f"`{default}`"


def test_the_table_of_settings_has_every_setting_with_its_default():
    section = TEXT.partition("\n## Settings\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", section, re.MULTILINE)
    defaults = Settings()
    expected = [(name.upper(), as_documented(getattr(defaults, name))) for name in Settings.__struct_fields__]
    assert sorted(rows) == sorted(expected)


@pytest.mark.parametrize(
    "words", [*commands_of(TEXT), *commands_of((PAGE.parent / "webhooks.md").read_text())], ids=" ".join
)
def test_every_command_on_this_page_and_that_of_webhooks_exists(words):
    check_command(words)


def test_every_file_on_the_page_exists():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 8
    assert [link for link in links if not (PAGE.parent / link).exists()] == []
    assert [
        path for path in re.findall(r"\bdeploy/[\w./-]*\w", TEXT) if not (PAGE.parents[1] / path).exists()
    ] == []


def test_every_file_in_deploy_is_mentioned():
    for path in (PAGE.parents[1] / "deploy").iterdir():
        assert f"{path.name}" in TEXT, path.name
