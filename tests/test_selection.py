"""Selection of slow tests, and of tests of other folders, by what changed."""

import subprocess
from types import SimpleNamespace

import pytest

import selection
from selection import ROOT, Changes, changed_files, changed_modules

pytestmark = pytest.mark.any_database

KILLED = pytest.mark.slow("killed import").mark
KILLED_FEED = pytest.mark.slow("killed import", "ingest.feeds").mark
FLOOD = pytest.mark.slow("flood", "serving").mark
OF_BENCH = pytest.mark.folders("bench").mark


class Item:
    """A collected test with at most one mark."""

    def __init__(self, name, folder="ingest", mark=None):
        self.name, self.path = name, ROOT / "tests" / folder / f"test_{name}.py"
        self._mark = mark

    def get_closest_marker(self, name):
        return self._mark if self._mark and self._mark.name == name else None


@pytest.fixture
def select(monkeypatch):
    """Return a function that gives the names of the tests that a change leaves."""

    def select(items, *files, modules=()):
        changes = Changes(frozenset(files), frozenset(modules)) if files else None
        monkeypatch.setattr(selection, "_changes", lambda: changes)
        monkeypatch.setattr(selection, "THOROUGH", False)
        left_out = []
        hook = SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
        selection.deselect(SimpleNamespace(hook=hook), items)
        return [item.name for item in items]

    return select


def a_suite():
    return [
        Item("merge"),
        Item("killed", mark=KILLED),
        Item("killed_again", mark=KILLED),
        Item("killed_feed", mark=KILLED_FEED),
        Item("flood", folder="serving", mark=FLOOD),
        Item("flood_again", folder="serving", mark=FLOOD),
        Item("bench", folder=".", mark=OF_BENCH),
    ]


EVERYTHING = [item.name for item in a_suite()]


def test_everything_runs_without_a_base(select):
    assert select(a_suite()) == EVERYTHING


def test_a_change_elsewhere_leaves_the_first_test_of_each_mechanism(select):
    assert select(a_suite(), "docs/README.md") == ["merge", "killed", "flood"]


def test_a_changed_package_runs_all_its_slow_tests(select):
    left = select(a_suite(), "src/firmograph/ingest/x.py", modules=["firmograph.ingest.x"])
    assert left == ["merge", "killed", "killed_again", "flood"]


def test_subjects_of_a_test_count_in_place_of_its_folder(select):
    changed = ["firmograph.ingest.feeds.jobs", "firmograph.serving"]
    left = select(a_suite(), "src/firmograph/ingest/feeds/jobs.py", modules=changed)
    assert left == ["merge", "killed", "killed_again", "killed_feed", "flood", "flood_again"]


def test_a_subject_may_be_a_file_or_folder_of_the_project(select):
    pages = pytest.mark.slow("killed import", "/docs/", "/README.md").mark
    suite = [Item("killed", mark=KILLED), Item("pages", folder="docs", mark=pages)]
    assert select(suite.copy(), "docs/samples/people.csv") == ["killed", "pages"]
    assert select(suite.copy(), "README.md") == ["killed", "pages"]
    assert select(suite.copy(), "tests/docs/page.py") == ["killed"]


def test_a_package_whose_name_only_begins_alike_is_another(select):
    left = select(a_suite(), "x", modules=["firmograph.ingester", "firmograph.serving_more"])
    assert left == ["merge", "killed", "flood"]


def test_a_changed_folder_beside_the_package_runs_its_tests(select):
    assert select(a_suite(), "bench/serving/load.py") == ["merge", "killed", "flood", "bench"]
    assert select(a_suite(), "benchmarks.md") == ["merge", "killed", "flood"]


def test_a_changed_test_module_and_changed_helpers_of_it_run_the_test(select, monkeypatch):
    own = {"test_killed_again.py": {"tests/ingest/test_killed_again.py", "tests/import_processes.py"}}
    monkeypatch.setattr(selection, "_imported_tests", lambda path: own.get(path.name, set()))
    left = select(a_suite(), "tests/import_processes.py")
    assert left == ["merge", "killed", "killed_again", "flood"]


def test_helpers_of_helpers_and_fixtures_of_folders_belong_to_a_test():
    found = selection._imported_tests(ROOT / "tests" / "selection_probe.py")
    assert found == {"tests/conftest.py"} | selection._imported_tests(ROOT / "tests" / "conftest.py")
    found = selection._imported_tests(ROOT / "tests" / "enrichment" / "test_companies.py")
    assert {
        "tests/enrichment/test_companies.py",
        "tests/enrichment/conftest.py",
        "tests/enrichment/demo_people.py",
        "tests/record_factory.py",
        "tests/services/postgresql.py",
    } <= found


def test_a_module_counts_as_changed_with_those_that_it_imports():
    importers = selection._importers({"firmograph.billing.paid_units"})
    assert {"firmograph.billing.paid_units", "firmograph.billing.charged_call"} <= importers
    assert "firmograph.enrichment.reveal" in importers
    assert not any(module.startswith("firmograph.rate_limits") for module in importers)


def test_a_deleted_module_stands_for_its_package():
    assert "firmograph.billing.ledger" in selection._importers({"firmograph.billing.deleted"})


def test_files_of_the_package_are_its_modules_and_data_stands_for_its_folder():
    files = ["src/firmograph/billing/ledger.py", "src/firmograph/jobs/__init__.py", "notes.md", "tests/b.py"]
    assert changed_modules(files) == {"firmograph.billing.ledger", "firmograph.jobs"}
    assert changed_modules(["src/firmograph/directory/data/nicknames.txt"]) == {"firmograph.directory.data"}


@pytest.fixture
def repository(tmp_path):
    """Return a repository with one commit, in which `git` runs."""

    def git(*arguments):
        named = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *named, *arguments], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "old.py").write_text("1")
    (tmp_path / ".gitignore").write_text("ignored")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "Begin")
    return tmp_path, git


def test_changed_files_are_those_of_commits_of_the_working_tree_and_new_ones(repository):
    folder, git = repository
    (folder / "committed.py").write_text("1")
    git("add", "-A")
    git("commit", "-qm", "Add")
    (folder / "old.py").write_text("2")
    (folder / "new.py").write_text("1")
    (folder / "ignored").write_text("1")
    assert changed_files(folder, "HEAD~1") == {"committed.py", "old.py", "new.py"}


def test_an_unknown_base_is_refused_by_its_name(repository):
    with pytest.raises(pytest.UsageError, match="FIRMOGRAPH_TEST_BASE=nowhere is no commit"):
        changed_files(repository[0], "nowhere")


def test_the_base_is_where_the_branch_left_main_and_there_is_none_on_main(repository):
    folder, git = repository
    assert selection._branching_point(folder) is None
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert selection._branching_point(folder) is None
    (folder / "new.py").write_text("1")
    git("add", "-A")
    git("commit", "-qm", "Add")
    base = selection._branching_point(folder)
    assert base is not None
    assert changed_files(folder, base) == {"new.py"}
