"""Suggestions for a typed text, from an index that was built, changed and read back."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_suggestions import plain

from firmograph.indexing.checkpoints import read_checkpoint, write_checkpoint
from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.build import Builder
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.engines.port import Suggestion
from firmograph.prospecting.indexing.entry_changes import EntryChanges
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

StoredTexts = Mapping[int, Iterable[str]]
Made = Callable[..., MemoryEngine]


def company(number: int, values: Iterable[str], field: str = fields.TECHNOLOGY) -> Entry:
    return Entry(number, None, 10, 20_000, [(field, value) for value in values], [])


def contact(number: int, at: int | None, skills: Iterable[str] = ()) -> Entry:
    return Entry(number, at, 10, 20_000, [(fields.SKILL, skill) for skill in skills], [])


def built(companies: Iterable[Entry], contacts: Iterable[Entry] = ()) -> MemoryEngine:
    builder = Builder()
    for entry in companies:
        builder.add_company(entry)
    for entry in contacts:
        builder.add_contact(entry)
    return builder.finish(1)


def applied(companies: Iterable[Entry], contacts: Iterable[Entry] = ()) -> MemoryEngine:
    engine = MemoryEngine.empty()
    engine.apply(EntryChanges(1, list(companies), list(contacts)))
    return engine


def holding(*technologies: str) -> MemoryEngine:
    """Return an engine with each technology at one company more than the next."""
    count = len(technologies)
    return built(company(number, technologies[: count + 1 - number]) for number in range(1, count + 1))


def named(names: Mapping[int, tuple[int, list[str]]]) -> tuple[list[Entry], list[Entry]]:
    """Return companies, by number, with these names and so many contacts; and their contacts."""
    companies = [company(number, stored, fields.COMPANY_NAME) for number, (_, stored) in names.items()]
    employers = [number for number, (size, _) in names.items() for _ in range(size)]
    return companies, [contact(place, at) for place, at in enumerate(employers, 1)]


def technologies(engine: MemoryEngine, text: str, most: int = 50) -> list[str]:
    return [one.value for one in engine.suggest(Entity.COMPANY, fields.TECHNOLOGY, text, most)]


def companies(engine: MemoryEngine, text: str, most: int = 50) -> list[Suggestion]:
    return engine.suggest(Entity.COMPANY, fields.COMPANY_NAME, text, most)


# --- how entries are found ---


def test_entries_beginning_with_the_whole_text_come_before_those_with_only_such_a_word() -> None:
    engine = holding("Amazon Redshift", "Red Hat", "Redis")
    assert technologies(engine, "red") == ["Red Hat", "Redis", "Amazon Redshift"]


def test_every_typed_word_begins_a_word_in_any_order() -> None:
    engine = holding("Google Cloud Storage", "Cloud Foundry", "Google Analytics")
    assert technologies(engine, "clou goo") == ["Google Cloud Storage"]


def test_case_accents_and_signs_are_ignored() -> None:
    assert technologies(holding("Müller-Système X"), "MULLER sys") == ["Müller-Système X"]


def test_signs_that_name_a_language_count() -> None:
    assert technologies(holding("C", "C#", "C++"), "c++") == ["C++", "C", "C#"]


def test_volumes_are_given_and_order_equal_beginnings() -> None:
    engine = built([company(1, ["Redis", "Redmine"]), company(2, ["Redmine"])])
    assert engine.suggest(Entity.COMPANY, fields.TECHNOLOGY, "re", 50) == [
        Suggestion("Redmine", 2),
        Suggestion("Redis", 1),
    ]


def test_entries_of_one_volume_are_ordered_by_value() -> None:
    engine = built([company(1, ["Zeta Tool", "Alpha Tool", "Miro Tool"])])
    engine.apply(EntryChanges(2, [company(2, ["Beta Tool"])]))
    assert technologies(engine, "tool") == ["Alpha Tool", "Beta Tool", "Miro Tool", "Zeta Tool"]


def test_only_the_requested_number_is_suggested_and_those_are_the_first() -> None:
    engine = holding(*(f"Tool {number}" for number in range(600)))
    assert technologies(engine, "to", 400) == [f"Tool {number}" for number in range(400)]
    assert technologies(engine, "to", 0) == []


def test_the_finished_words_suffice_for_an_entry_with_a_skipped_word() -> None:
    engine = holding("House of Cards", "House Rules")
    assert technologies(engine, "house o") == ["House of Cards"]


@pytest.mark.parametrize("text", ["", "  ", "!?", "nothing such"])
def test_nothing_is_suggested_for_an_unknown_beginning(text: str) -> None:
    assert technologies(holding("Redis"), text) == []


def test_pairs_of_characters_are_found_in_scripts_without_spaces() -> None:
    assert technologies(holding("東京データ"), "東京") == ["東京データ"]


# --- edits ---


@pytest.mark.parametrize(
    "text", ["kubernetse", "kuberntes", "kkubernetes", "cubernetes", "kubernets", "kubrn"]
)
def test_a_word_with_an_edit_is_found(text: str) -> None:
    assert technologies(holding("Kubernetes"), text) == ["Kubernetes"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("jva", []),
        ("jvaa", ["Java"]),
        ("jvva", ["Java"]),
        ("postgers", ["Postgres"]),
        ("psotgre", ["Postgres"]),
    ],
)
def test_an_edit_is_allowed_from_four_letters_on(text: str, found: list[str]) -> None:
    assert technologies(holding("Java", "Postgres"), text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("elsaticesarch", ["Elasticsearch"]), ("elsatcs", []), ("xxasticsea", ["Elasticsearch"])],
)
def test_two_edits_are_allowed_from_eight_letters_on(text: str, found: list[str]) -> None:
    assert technologies(holding("Elasticsearch"), text) == found


def test_edits_are_allowed_in_each_word() -> None:
    assert technologies(holding("Google Analytics", "Google Cloud"), "gogle analitycs") == [
        "Google Analytics"
    ]


def test_a_finished_word_is_compared_to_its_end() -> None:
    engine = holding("Sparkling Water")
    assert technologies(engine, "spakr") == ["Sparkling Water"]
    assert technologies(engine, "spakr water") == []


def test_entries_with_fewer_edits_come_first() -> None:
    engine = holding("Salesfoxxe", "Salesfoxce", "Salesforce")
    assert technologies(engine, "salesforce") == ["Salesforce", "Salesfoxce", "Salesfoxxe"]


def test_later_entries_are_found_with_edits_too() -> None:
    engine = holding("Redis")
    engine.apply(EntryChanges(2, [company(7, ["Kubernetes", "Кибернетика"])]))
    assert technologies(engine, "kuberntes") == ["Kubernetes"]
    assert technologies(engine, "кибрентика") == ["Кибернетика"]


# --- changes ---


@pytest.mark.parametrize("made", [built, applied])
def test_entries_without_a_live_record_are_not_suggested(made: Made) -> None:
    engine = made([company(1, ["Redis", "Redmine"]), company(2, ["Redmine"]), company(3, ["Redux"])])
    engine.apply(EntryChanges(2, [company(3, ["React"])], removed_companies=[1]))
    assert engine.suggest(Entity.COMPANY, fields.TECHNOLOGY, "re", 50) == [
        Suggestion("React", 1),
        Suggestion("Redmine", 1),
    ]


def test_a_removed_contact_does_not_count() -> None:
    engine = built([], [contact(1, None, ["Welding", "Wiring"]), contact(2, None, ["Wiring"])])
    assert engine.suggest(Entity.CONTACT, fields.SKILL, "w", 50, RemovedRecords(contacts=[1])) == [
        Suggestion("Wiring", 1)
    ]
    engine.apply(EntryChanges(2, removed_contacts=[1]))
    assert engine.suggest(Entity.CONTACT, fields.SKILL, "w", 50) == [Suggestion("Wiring", 1)]


def test_dead_documents_do_not_affect_the_position_of_an_entry() -> None:
    engine = built(
        [], [*(contact(number, None, ["Wiring"]) for number in range(1, 6)), contact(6, None, ["Welding"])]
    )
    engine.apply(EntryChanges(2, contacts=[contact(7, None, ["Welding"])]))
    assert engine.suggest(Entity.CONTACT, fields.SKILL, "w", 1, RemovedRecords(contacts=[1, 2, 3, 4])) == [
        Suggestion("Welding", 2)
    ]
    engine.apply(EntryChanges(3, removed_contacts=[1, 2, 3, 4]))
    assert engine.suggest(Entity.CONTACT, fields.SKILL, "w", 1) == [Suggestion("Welding", 2)]


def test_a_checkpoint_suggests_the_same(tmp_path: Path) -> None:
    engine = built(*named({1: (2, ["Acme Inc"]), 2: (1, ["Acme Labs"])}))
    engine.apply(
        EntryChanges(2, [company(3, ["Acne Studios", "Acme"], fields.COMPANY_NAME)], removed_companies=[2])
    )
    write_checkpoint(MEMORY_SEARCH, engine, tmp_path / "index", "here")
    read = read_checkpoint(MEMORY_SEARCH, tmp_path / "index", "here")
    for text in ("ac", "acme", "acnme"):
        assert companies(read, text) == companies(engine, text) != []


# --- company names ---


@pytest.mark.parametrize("made", [built, applied])
def test_companies_are_ordered_by_their_number_of_contacts(made: Made) -> None:
    engine = made(*named({1: (1, ["Acme Inc"]), 2: (3, ["Acme Labs"]), 3: (0, ["Acme"])}))
    assert companies(engine, "acme") == [
        Suggestion("Acme Labs", 3, 2),
        Suggestion("Acme Inc", 1, 1),
        Suggestion("Acme", 0, 3),
    ]


def test_companies_with_the_same_name_are_all_suggested() -> None:
    engine = built(*named({1: (1, ["Acme"]), 2: (2, ["Acme"])}))
    assert companies(engine, "acme") == [Suggestion("Acme", 2, 2), Suggestion("Acme", 1, 1)]


def test_a_company_of_two_names_is_suggested_once_by_the_first() -> None:
    engine = built(*named({1: (1, ["Blue Acme", "Acme Inc", "Acme Holding"])}))
    assert companies(engine, "acme") == [Suggestion("Acme Holding", 1, 1)]


@pytest.mark.parametrize("text", ["acme", "acme i", "acme in", "acme inc", "Acme, Inc.", "the acme"])
def test_a_company_is_found_with_a_partly_typed_legal_form(text: str) -> None:
    assert companies(built(*named({4: (1, ["Acme, Inc."])})), text) == [Suggestion("Acme, Inc.", 1, 4)]


@pytest.mark.parametrize("text", ["u.s", "u.s. st", "US st", "u.s. steel", "u s steel corp"])
def test_a_company_is_found_by_single_letters_as_they_are_typed(text: str) -> None:
    assert companies(built(*named({4: (1, ["U.S. Steel Corporation"])})), text) == [
        Suggestion("U.S. Steel Corporation", 1, 4)
    ]


def test_a_renamed_or_removed_company_is_not_found_by_its_former_name() -> None:
    engine = built(*named({1: (1, ["Acme"]), 2: (1, ["Acme Two"])}))
    engine.apply(EntryChanges(2, [company(1, ["Bluebird"], fields.COMPANY_NAME)], removed_companies=[2]))
    assert companies(engine, "acme") == []
    assert companies(engine, "blue") == [Suggestion("Bluebird", 1, 1)]


def test_volumes_of_companies_follow_their_contacts() -> None:
    engine = built(*named({1: (2, ["Acme One"]), 2: (1, ["Acme Two"])}))
    engine.apply(EntryChanges(2, contacts=[contact(1, 2), contact(9, 2)]))
    for removed in (RemovedRecords(contacts=[2]), NONE_REMOVED):
        assert engine.suggest(Entity.COMPANY, fields.COMPANY_NAME, "acme", 50, removed) == [
            Suggestion("Acme Two", 3, 2),
            Suggestion("Acme One", 0, 1),
        ]
        engine.apply(EntryChanges(3, removed_contacts=[2]))


def test_locations_are_found_by_city_state_and_country() -> None:
    engine = built([company(1, ["Paris|Texas|US", "Paris|Île-de-France|FR"], fields.PLACE)])
    found = engine.suggest(Entity.COMPANY, fields.PLACE, "paris fran", 50)
    assert found == [Suggestion("Paris|Île-de-France|FR", 1)]


# --- compared with a plain reading of the rules ---

some_words = st.sampled_from("data data2 date cloud clouds loud database databse analytics analytic".split())
entries = st.lists(some_words, min_size=1, max_size=3).map(" ".join)
records = st.dictionaries(st.integers(1, 12), st.sets(entries, max_size=3), max_size=12)
texts = st.lists(some_words | st.text("acdlotu", min_size=1, max_size=9), min_size=1, max_size=2).map(
    " ".join
)


@given(records, records, st.sets(st.integers(1, 12), max_size=4), texts, st.integers(1, 20))
def test_suggestions_follow_the_rules(
    before: StoredTexts, changed: StoredTexts, removed: set[int], text: str, most: int
) -> None:
    engine = built(company(number, sorted(values)) for number, values in before.items())
    engine.apply(
        EntryChanges(
            2,
            [company(number, sorted(values)) for number, values in changed.items()],
            removed_companies=sorted(removed),
        )
    )
    stored = {number: values for number, values in {**before, **changed}.items() if number not in removed}
    assert engine.suggest(Entity.COMPANY, fields.TECHNOLOGY, text, most) == plain(stored, text)[:most]
