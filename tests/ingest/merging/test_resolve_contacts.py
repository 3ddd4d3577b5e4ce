import pytest

from firmograph.directory.records import CompanyRef
from firmograph.ingest.summary import Summary
from firmograph.kit.clock import SetClock
from record_factory import contact, load_contacts
from stored_records import employers, head, stored_companies, stored_contacts

pytestmark = pytest.mark.any_database

DAY = 86_400


def only(database):
    """Return the one stored contact."""
    ((record, _),) = stored_contacts(database).values()
    return record


def test_the_same_file_twice_changes_nothing(database):
    rows = [
        ("1", contact(emails=["jane@example.com"], company="Acme")),
        contact("Bob", "Ray", linkedin="https://www.linkedin.com/in/bobray"),
        contact("Cy", "Poe", company="Acme"),
    ]
    assert load_contacts(database, "a", rows) == Summary(read=3, created=3)
    before = head(database)
    assert load_contacts(database, "a", rows) == Summary(read=3, unchanged=3)
    assert head(database) == before


def test_rows_of_one_source_id_are_one_record_despite_other_changes(database):
    load_contacts(database, "a", [("1", contact(emails=["jane@example.com"]))])
    load_contacts(database, "a", [("1", contact("Joan", "Roe", emails=["joan@example.com"]))])
    assert only(database).full_name == "Joan Roe"


def test_values_that_a_source_stops_sending_are_removed(database):
    load_contacts(database, "a", [("1", contact(emails=["old@example.com"], skills=["go"]))])
    load_contacts(database, "a", [("1", contact(emails=["new@example.com"]))])
    assert [email.email for email in only(database).emails] == ["new@example.com"]
    assert only(database).skills == []


def test_a_linkedin_url_joins_the_rows_of_two_sources(database):
    url = "https://www.linkedin.com/in/jane-doe"
    load_contacts(database, "a", [contact(linkedin=url, emails=["jane@example.com"])])
    summary = load_contacts(
        database, "b", [contact("J.", "Doe-Roe", linkedin=url, emails=["roe@example.org"])]
    )
    assert summary.updated == 1
    assert {email.email for email in only(database).emails} == {"jane@example.com", "roe@example.org"}


def test_an_email_joins_rows_of_people_whose_names_agree(database):
    load_contacts(database, "a", [contact("William", "Roe", emails=["roe@example.com"])])
    load_contacts(database, "b", [contact("Bill", "Roe", emails=["roe@example.com"])])
    assert len(stored_contacts(database)) == 1


@pytest.mark.parametrize("email", ["office@example.com", "jdoe@example.com"])
@pytest.mark.parametrize("other", [("Bob", "Ray"), ("Jane", "Ray"), ("Bob", "Doe")])
def test_a_shared_email_does_not_join_two_people(database, email, other):
    load_contacts(database, "a", [contact("Jane", "Doe", emails=[email])])
    summary = load_contacts(database, "b", [contact(*other, emails=[email])])
    assert (summary.created, summary.conflicts) == (1, 0)
    assert len(stored_contacts(database)) == 2


PAGE = "https://www.linkedin.com/in/jane-doe"


@pytest.mark.parametrize(
    "other",
    [
        ("Jane", "Roe"),
        ("Jane", "Doe-Roe"),
        ("Joan", "Doe"),
        ("", "Roe"),
        ("Bob", ""),
        ("Иван", "Петров"),
        ("", ""),
    ],
)
def test_a_linkedin_url_joins_rows_unless_both_names_contradict(database, other):
    load_contacts(database, "a", [contact("Jane", "Doe", linkedin=PAGE)])
    assert load_contacts(database, "b", [contact(*other, linkedin=PAGE)]).conflicts == 0
    assert len(stored_contacts(database)) == 1


def test_a_linkedin_url_does_not_join_two_people_and_stays_with_its_holder(database):
    load_contacts(database, "a", [contact("Jane", "Doe", linkedin=PAGE)])
    summary = load_contacts(database, "b", [contact("Bob", "Ray", linkedin=PAGE, emails=["bob@example.com"])])
    assert (summary.created, summary.conflicts) == (1, 1)
    load_contacts(database, "c", [contact("", "", linkedin=PAGE, title="Chair")])
    jane, bob = (record for record, _ in stored_contacts(database).values())
    assert (jane.job_title.title, bob.job_title) == ("Chair", None)


def test_a_row_with_a_refused_linkedin_url_uses_its_next_key(database):
    load_contacts(database, "a", [contact("Jane", "Doe", linkedin=PAGE)])
    load_contacts(database, "a", [contact("Bob", "Ray", emails=["bob@example.com"])])
    summary = load_contacts(database, "b", [contact("Bob", "Ray", linkedin=PAGE, emails=["bob@example.com"])])
    assert (summary.created, summary.updated, summary.conflicts) == (0, 1, 1)


@pytest.mark.parametrize("batches", [1, 4])
def test_rows_that_claim_one_linkedin_url_return_to_their_records(database, batches):
    rows = [
        contact("Jane", "Doe", linkedin=PAGE),
        contact("Bob", "Ray", linkedin=PAGE),
        contact("Cy", "Poe", linkedin=PAGE),
        contact("Bob", "Ray", linkedin=PAGE, title="Chair"),
    ]
    for part in [rows] if batches == 1 else [[row] for row in rows]:
        load_contacts(database, "a", part)
    assert [record.full_name for record, _ in stored_contacts(database).values()] == [
        "Jane Doe",
        "Bob Ray",
        "Cy Poe",
    ]
    before = head(database)
    again = load_contacts(database, "a", rows)
    assert (again.unchanged, again.conflicts, head(database)) == (4, 3, before)


def test_a_row_returns_to_its_record_after_the_record_changed_its_name(database):
    rows = [
        contact(first, last, linkedin=PAGE)
        for first, last in (("Jane", "Doe"), ("Bob", "Doe"), ("Bob", "Ray"))
    ]
    load_contacts(database, "a", rows)
    assert only(database).full_name == "Bob Ray"
    assert load_contacts(database, "a", rows).unchanged == 3


INFO = ["info@example.com"]


def test_a_role_mailbox_joins_rows_of_one_full_name(database):
    load_contacts(database, "a", [contact("José", "Núñez", emails=INFO)])
    load_contacts(database, "b", [contact("Jose", "Nunez", emails=INFO)])
    assert len(stored_contacts(database)) == 1


def test_a_role_mailbox_joins_rows_without_names(database):
    load_contacts(database, "a", [contact("", "", emails=INFO)])
    load_contacts(database, "b", [contact("", "", emails=INFO)])
    assert len(stored_contacts(database)) == 1


@pytest.mark.parametrize("other", [("Bill", "Roe"), ("", "Roe"), ("William", ""), ("", "")])
def test_a_role_mailbox_does_not_join_rows_of_other_names(database, other):
    rows = [contact("William", "Roe", emails=INFO), contact(*other, emails=INFO)]
    load_contacts(database, "a", rows)
    assert len(stored_contacts(database)) == 2
    assert load_contacts(database, "a", rows).unchanged == 2


def test_a_persons_own_address_takes_precedence_over_a_role_mailbox(database):
    load_contacts(database, "a", [contact(emails=["jane@example.com"]), contact(emails=INFO)])
    summary = load_contacts(database, "b", [contact(emails=[*INFO, "jane@example.com"], title="Chair")])
    assert (summary.updated, summary.conflicts) == (1, 1)
    first, second = (record for record, _ in stored_contacts(database).values())
    assert (first.job_title.title, second.job_title) == ("Chair", None)


def test_name_and_employer_join_rows_without_better_keys(database):
    load_contacts(database, "a", [contact("José", "Núñez", company="Acme Inc")])
    load_contacts(database, "b", [contact("Jose", "Nunez", company="ACME", title="Chair")])
    assert only(database).job_title.title == "Chair"


def test_name_and_employer_do_not_join_a_row_that_has_an_email(database):
    load_contacts(database, "a", [contact(company="Acme")])
    load_contacts(database, "b", [contact(company="Acme", emails=["jane@example.com"])])
    assert len(stored_contacts(database)) == 2


def test_name_and_employer_do_not_join_two_source_ids_of_one_source(database):
    load_contacts(database, "a", [("1", contact(company="Acme")), ("2", contact(company="Acme"))])
    assert len(stored_contacts(database)) == 2


def test_a_row_that_matches_two_records_is_applied_to_the_stronger_and_counted(database):
    url = "https://www.linkedin.com/in/jane-doe"
    load_contacts(database, "a", [contact(linkedin=url), contact(emails=["jane@example.com"])])
    summary = load_contacts(
        database, "b", [contact(linkedin=url, emails=["jane@example.com"], title="Chair")]
    )
    assert (summary.updated, summary.conflicts) == (1, 1)
    first, second = (record for record, _ in stored_contacts(database).values())
    assert (first.job_title.title, second.job_title) == ("Chair", None)


def test_the_weaker_key_stays_with_its_holder(database):
    url = "https://www.linkedin.com/in/jane-doe"
    load_contacts(database, "a", [contact(linkedin=url), contact(emails=["jane@example.com"])])
    load_contacts(database, "b", [contact(linkedin=url, emails=["jane@example.com"])])
    load_contacts(database, "c", [contact(emails=["jane@example.com"], title="Mailed")])
    first, second = (record for record, _ in stored_contacts(database).values())
    assert first.job_title is None
    assert second.job_title.title == "Mailed"


def test_two_rows_of_one_person_in_one_file_become_one_record(database):
    rows = [contact(emails=["jane@example.com"]), contact(emails=["jane@example.com"], title="Chair")]
    assert load_contacts(database, "a", rows) == Summary(read=2, created=1, updated=1)
    assert only(database).job_title.title == "Chair"


def test_a_late_older_version_does_not_become_the_last_row(database):
    load_contacts(database, "a", [("1", contact(title="New", day="2025-01-02"))])
    summary = load_contacts(database, "a", [("1", contact(title="Old", day="2025-01-01"))])
    assert summary.unchanged == 1
    assert only(database).job_title.title == "New"


def test_a_corrected_row_of_the_same_day_takes_effect(database):
    load_contacts(database, "a", [("1", contact(title="Chiar"))])
    load_contacts(database, "a", [("1", contact(title="Chair"))])
    assert only(database).job_title.title == "Chair"


def test_a_new_employer_moves_the_old_job_to_previous_employment(database):
    clock = SetClock()
    load_contacts(database, "a", [("1", contact(company="Acme", title="Engineer"))], clock)
    clock.advance(DAY)
    load_contacts(database, "a", [("1", contact(company="Rival", title="Manager"))], clock)
    (job,) = only(database).previous_employment
    assert (job.company.name, job.job_title.title) == ("Acme", "Engineer")


def test_an_employer_with_only_a_name_becomes_a_stub_once(database):
    rows = [contact("Jane", "Doe", company="Acme Inc"), contact("Bob", "Ray", company="ACME")]
    load_contacts(database, "a", rows)
    load_contacts(database, "b", [contact("Cy", "Poe", company="Acme, Inc.")])
    (stub,) = stored_companies(database).values()
    assert stub.stub
    assert employers(database) == [("Doe", "Acme Inc"), ("Poe", "Acme Inc"), ("Ray", "Acme Inc")]


def test_an_employer_is_linked_by_domain_before_name(database):
    acme = CompanyRef(name="Acme", domain="acme.example")
    load_contacts(database, "a", [contact(company=acme)])
    load_contacts(
        database, "a", [contact("Bob", "Ray", company=CompanyRef(name="Other", domain="acme.example"))]
    )
    assert len(stored_companies(database)) == 1


def test_interrupted_batches_are_complete_and_a_second_run_does_the_rest(database, monkeypatch):
    from firmograph.ingest.merging import contacts as module

    rows = [(str(n), contact(f"Jane{n}", emails=[f"jane{n}@example.com"])) for n in range(1200)]
    calls = []
    write = module.write_rows_and_keys

    def crash_in_the_second(*arguments):
        calls.append(1)
        write(*arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "write_rows_and_keys", crash_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        load_contacts(database, "a", rows)
    first = len(stored_contacts(database))
    assert 0 < first < len(rows)
    monkeypatch.undo()
    assert load_contacts(database, "a", rows) == Summary(read=1200, created=1200 - first, unchanged=first)
