"""The guide documents every filter and option, and its examples run."""

import re
import shlex
from pathlib import Path

import pytest

from firmograph.cli.prospect.filters import CONDITIONS, FILTERS, LOCATION_OPTIONS, SIGNAL, SIGNAL_SINCE
from firmograph.prospecting.filters.shapes import CompanyCriteria, ContactCriteria

pytestmark = pytest.mark.any_database

GUIDE = (Path(__file__).parents[2] / "docs" / "prospecting.md").read_text()
CODE = re.compile("`([^`]+)`")


@pytest.mark.parametrize(
    ("title", "criteria"), [("contacts", ContactCriteria), ("companies", CompanyCriteria)]
)
def test_the_guide_documents_exactly_the_existing_filters(title, criteria):
    section = re.split(r"\n##+ ", GUIDE.partition(f"## Filters of {title}\n")[2])[0]
    documented = {
        name for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE) for name in CODE.findall(row)
    }
    assert documented == set(criteria.__struct_encode_fields__)


def test_the_guide_documents_every_option():
    options = {filter.option for filters in FILTERS.values() for filter in filters} | {
        *LOCATION_OPTIONS,
        *CONDITIONS,
    }
    options |= {SIGNAL.option, SIGNAL_SINCE.option}
    section = GUIDE.partition("## `firmograph prospect`\n")[2].partition("\n## ")[0]
    documented = {
        name[2:]
        for row in re.findall(r"^\| (`--.+?) \|", section, re.MULTILINE)
        for name in CODE.findall(row)
    }
    assert documented == options | {"max-per-company", "exclude-dnc", "partial", "no-partial"}


def test_the_examples_of_the_guide_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bodies = re.findall(r"/v3/(contacts|companies)/prospecting \\\n[^\n]*\n  -d '(.+?)'", GUIDE, re.DOTALL)
    assert len(bodies) == 4
    for kind, given in bodies:
        assert run(kind, "--filters", "-", given=given).exit_code == 0
    (tmp_path / "body.json").write_text(bodies[-1][1])
    lines = re.findall(r"^firmograph prospect (.+)", GUIDE, re.MULTILINE)
    assert len(lines) == 5
    for line in lines:
        assert run(*shlex.split(line.partition(" >")[0])).exit_code == 0
