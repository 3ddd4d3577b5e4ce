"""Possible people in texts, by their suppression keys of name and employer.

See docs/reference/signals.md#suppressed-people.
"""

from collections.abc import Collection, Iterable, Mapping

from firmograph.database.connection import Session
from firmograph.directory.company_names import company_keys
from firmograph.directory.identity import Digests
from firmograph.directory.names_in_text.people import find_names
from firmograph.directory.stored_views import CompanyView, view_summary
from firmograph.ingest.merging import store as records
from firmograph.signals import store

MAX_COMPANIES = 5
"""Companies per text with which its names are combined."""

CompanyForms = Mapping[int, Collection[str]]
"""The stored companies of a text by number, with the names and domains that it has for each."""


class PossiblePeople:
    """Possible people in the texts of one commit."""

    def __init__(self, session: Session, digests: Digests, companies: Collection[int]) -> None:
        """Load the names of these companies with one statement."""
        self._session = session
        self._digests = digests
        self._companies = {
            number: view_summary(summary) for number, summary in store.company_summaries(session, companies)
        }

    def keys(self, texts: Iterable[str], url: str, named: CompanyForms) -> set[bytes]:
        """Return the keys of all possible people in the texts and the address, at each of the companies."""
        companies = self._forms(named)
        return {
            self._digests.contact_name_company(name, company)
            for name in find_names(texts, url)
            for company in companies
        }

    def suppressed(self, keys: Collection[bytes]) -> set[bytes]:
        """Return the suppressed ones of these keys, with two statements at most."""
        if not records.has_suppressions(self._session):
            return set()
        return records.suppressed_keys(self._session, keys, strong=False)

    def _forms(self, named: CompanyForms) -> list[str]:
        """Return name keys and domains of companies, from the records and from the text."""
        forms: dict[str, None] = {}
        for number, names in named.items():
            summary = self._companies.get(number, CompanyView())
            given = (key for name in (summary.name, *names) for key in company_keys(name))
            forms.update(dict.fromkeys((summary.domain or "", *given)))
        return [form for form in forms if form]
