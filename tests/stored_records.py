"""The content of a database, for tests to compare."""

from firmograph.database.connection import Database
from firmograph.directory.company_json import CompanyParts, decode_company
from firmograph.directory.contact_json import ContactParts, decode_contact
from firmograph.directory.records import Company, Contact


def stored_contacts(database: Database) -> dict[int, tuple[Contact, int | None]]:
    """Return each contact and the number of its employer."""
    rows = database.session().raw.execute("SELECT * FROM contacts ORDER BY id")
    return {row[0]: (decode_contact(ContactParts(*row[2:])), row[1]) for row in rows}


def stored_companies(database: Database) -> dict[int, Company]:
    rows = database.session().raw.execute("SELECT * FROM companies ORDER BY id")
    return {row[0]: decode_company(CompanyParts(*row[1:])) for row in rows}


def employers(database: Database) -> list[tuple[str | None, str | None]]:
    """Return each contact's last name and its employer's name, by last name."""
    companies = stored_companies(database)
    return sorted(
        (record.last_name, companies[company].name if company else None)
        for record, company in stored_contacts(database).values()
    )


def head(database: Database) -> int:
    return database.session().raw.execute("SELECT coalesce(max(sequence), 0) FROM changes").fetchone()[0]


def change_count(database: Database) -> int:
    """Return how many changes were written; failed commits leave gaps in the sequence of a server."""
    return database.session().raw.execute("SELECT count(*) FROM changes").fetchone()[0]


def parents(database: Database) -> list[tuple[int, int]]:
    return (
        database.session()
        .raw.execute("SELECT company_id, parent_id FROM company_parents ORDER BY 1, 2")
        .fetchall()
    )
