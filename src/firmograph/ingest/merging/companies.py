"""One batch of companies: rows resolved, merged and written in the caller's transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import encode_company
from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import DIRECT_PARENT, ULTIMATE_PARENT, Company
from firmograph.directory.row_keys import CONTACTS_SUFFIX, row_id
from firmograph.ingest.merging import store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.company_state import CompanyKeys, CompanyState
from firmograph.ingest.merging.domain_report import HostNames
from firmograph.ingest.merging.merge import DatedCompany, merge_companies
from firmograph.ingest.merging.record_state import write_records, write_rows_and_keys
from firmograph.ingest.merging.source_history import Row, Rows, RowSlot, choose_by_name, has_version
from firmograph.ingest.merging.split_rows import SplitCompanyRows
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER, referenced_company
from firmograph.ingest.records.prepared_rows import PreparedCompany, ReferencedCompany
from firmograph.ingest.summary import RowResult
from firmograph.security.record_ids import Entity, is_record_token

_decode = msgspec.json.Decoder(Company).decode
_encode = msgspec.json.Encoder().encode

_NamedOwner = tuple[ReferencedCompany, int]
"""An owner as a row names it, and the owner's role."""


class CompanyBatch:
    """Prepared rows of one source, applied to the records in file order."""

    def __init__(
        self,
        session: Session,
        digests: Digests,
        linker: Linker,
        sources: dict[str, int],
        source: str,
        day: str,
        *,
        of_contacts: bool = False,
    ) -> None:
        """Prepare an empty batch; with `of_contacts` its rows are employers taken from rows of contacts."""
        self._session = session
        self._digests = digests
        self._linker = linker
        self._source_names = {number: name for name, number in sources.items()}
        self._keys = CompanyKeys(digests, self._source_names)
        self._source = sources[source]
        self._day = day
        self._id_suffix = CONTACTS_SUFFIX if of_contacts else ""
        self._companies: dict[int, CompanyState] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._withheld: set[store.StoredKey] = set()
        self._splits = SplitCompanyRows(session, digests, source + self._id_suffix)
        self.hosts = HostNames()
        """Names of companies by the host that they share as their domain."""
        self.numbers: dict[int, int] = {}
        """Record numbers by the line of the row."""

    def apply(
        self, rows: Sequence[PreparedCompany], in_time: Callable[[], bool] = lambda: True
    ) -> list[RowResult]:
        """Apply rows until the time is up, at least one, and return their outcomes.

        Writes the batch before it returns; an exception leaves everything to the caller's rollback.
        """
        self._load(rows)
        outcomes: list[RowResult] = []
        for row in rows:
            outcomes.append(self._apply(row))
            if not in_time():
                break
        self._write()
        return outcomes

    def _write(self) -> None:
        batch = self._companies.values()
        write_rows_and_keys(self._session, Entity.COMPANY, batch, self._keys.all_keys, self._withheld)
        self._link_related()
        write_records(self._session, Entity.COMPANY, batch)
        self._linker.clear_cache()

    def _load(self, rows: Sequence[PreparedCompany]) -> None:
        """Load every record that a row of the batch may match, in four statements."""
        keys = {
            key for row in rows for key in (*_strong_keys(row), *_name_keys(row), *self._version_keys(row))
        }
        self._by_key = store.find_by_keys(self._session, Entity.COMPANY, keys)
        holders = (number for numbers in self._by_key.values() for number in numbers)
        self._load_records(sorted({*holders, *self._splits.load(rows)}))

    def _load_records(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        stored_rows = store.read_rows(self._session, Entity.COMPANY, ids)
        for number, parts in store.read_company_parts(self._session, ids).items():
            company = self._companies[number] = CompanyState(number)
            company.parts, company.rows = parts, stored_rows[number]

    # --- resolve ---

    def _resolve(self, row: PreparedCompany) -> tuple[CompanyState | None, bool]:
        """Return the record of a row, and whether a weaker key of the row belongs to another one."""
        matches = [number for key in _strong_keys(row) for number in self._by_key.get(key, ())[:1]]
        split = self._splits.number(row)
        if split in self._companies:
            matches = [split, *matches]
        if not matches:
            return self._by_name(row), False
        self._withheld |= {
            (key, matches[0])
            for key in _strong_keys(row)
            if self._by_key.get(key) and matches[0] not in self._by_key[key]
        }
        return self._companies[matches[0]], any(number != matches[0] for number in matches)

    def _by_name(self, row: PreparedCompany) -> CompanyState | None:
        """Return the only stub of this name, else the only record of this name and country that the row may join."""
        namesakes = self._holders(_name_keys(row))
        stubs = [
            company
            for company in namesakes
            if _may_complete(company.canonical(), row.own.country) and not self._other_source_id(company, row)
        ]
        if len(stubs) == 1:
            return stubs[0]
        only_namesake = _only_namesake(namesakes, row.own.country)
        joinable = [
            company for company in namesakes if self._may_join(company, row, only=company is only_namesake)
        ]
        candidates = [*namesakes, *self._holders(self._version_keys(row))]
        return choose_by_name(self._slot(row), row.version, candidates, joinable)

    def _holders(self, keys: Iterable[bytes]) -> list[CompanyState]:
        numbers = dict.fromkeys(number for key in keys for number in self._by_key.get(key, ()))
        return [self._companies[number] for number in numbers]

    def _version_keys(self, row: PreparedCompany) -> list[bytes]:
        """Return the version key of a row without other keys.

        A record holds it for a version that a later one with another name replaced.
        """
        if row.source_id or _strong_keys(row):
            return []
        return [self._digests.company_version(self._source_names[self._source], row.version.hex())]

    def _may_join(self, company: CompanyState, row: PreparedCompany, *, only: bool) -> bool:
        """Return whether name and country join a row to a record (docs/reference/records.md#identity-keys).

        They do where neither has a domain. Where one of them has, the record must be the only one of this name and
        country.
        """
        record = company.canonical()
        if self._other_source_id(company, row) or _pages_differ(record, row.own.linkedin):
            return False
        if record.domain or row.own.domain:
            return only and not (record.domain and row.own.domain)
        return _country(record) == (row.own.country or None)

    def _other_source_id(self, company: CompanyState, row: PreparedCompany) -> bool:
        """Return whether the source gives the two different ids, its own or those of exported answers."""
        ids = {self._source: row.source_id, STUB_SOURCE_NUMBER: row.own.token}
        return any(
            source_id and ids.get(source) and source_id != ids[source]
            for source, source_id in ((source, row_id(stored_id)) for source, stored_id in company.rows)
            if source != STUB_SOURCE_NUMBER or is_record_token(source_id)
        )

    # --- apply ---

    def _apply(self, row: PreparedCompany) -> RowResult:
        self._note_host(row)
        company, conflict = self._resolve(row)
        if company is None:
            self._create(row)
            return RowResult(row.line, created=True)
        was_stub = company.canonical().stub
        changed = self._add_row(company, row)
        created = changed and was_stub and not company.canonical().stub
        return RowResult(
            row.line,
            created=created,
            updated=changed and not created,
            unchanged=not changed,
            conflict=conflict,
        )

    def _note_host(self, row: PreparedCompany) -> None:
        for number in self._by_key.get(row.own.host_digest or b"", ())[:1]:
            name = self._companies[number].canonical().name
            if name and row.own.name and name != row.own.name:
                self.hosts.add(row.own.domain, company_key(name), row.own.name_key)

    def _create(self, row: PreparedCompany) -> None:
        number = self.numbers[row.line] = self._linker.next_number()
        company = self._companies[number] = CompanyState(number)
        company.is_new = True
        slot = self._slot(row)
        company.rows[slot] = Row(row.version, row.day or self._day, None, row.row, None)
        company.changed_rows.add(slot)
        company.parts = row.fragments
        company.changed = True
        company.keys = set()
        company.new_keys = self._keys.all_keys(company)
        self._index_keys(company.new_keys, number)

    def _slot(self, row: PreparedCompany) -> RowSlot:
        """Return the slot of a row in its record."""
        return self._source, row.source_id + self._id_suffix

    def _index_keys(self, keys: set[bytes], number: int) -> None:
        for key in keys:
            numbers = self._by_key.setdefault(key, [])
            if number not in numbers:
                numbers.append(number)

    def _add_row(self, company: CompanyState, row: PreparedCompany) -> bool:
        """Add a row to its record and return whether the record changed."""
        self.numbers[row.line] = company.number
        slot = self._slot(row)
        new_row = Row(row.version, row.day or self._day, None, row.row, None)
        if slot in company.rows and has_version(company.rows[slot], row.version):
            return False
        if company.keys is None:
            company.keys = self._keys.all_keys(company)
        return company.add_row(slot, new_row) and self._merge(company)

    def _merge(self, company: CompanyState) -> bool:
        before = _encode(company.canonical())
        company.new_keys = None
        company.record = merge_company_rows(company.rows, self._source_names)
        company.parts = encode_company(company.record)
        changed = before != _encode(company.record)
        company.changed |= changed
        self._index_keys(self._keys.all_keys(company), company.number)
        return changed

    # --- owners and competitors ---

    def _link_related(self) -> None:
        """Link owners and competitors; requires that the keys of the whole batch are in the database."""
        named = [company for company in self._companies.values() if company.changed and _has_related(company)]
        refs = {company.number: related_companies(self._digests, company.canonical()) for company in named}
        self._linker.clear_cache()
        every = [
            ref
            for owners, competitors in refs.values()
            for ref in (*(ref for ref, _ in owners), *competitors)
        ]
        self._linker.link(self._session, every)
        owners: dict[int, dict[int, int]] = {
            company.number: {}
            for company in self._companies.values()
            if company.changed and not company.is_new
        }
        for company in named:
            named_owners, competitors = refs[company.number]
            owners[company.number] = self._owners(named_owners, company.number)
            company.parts = encode_company(
                company.canonical(),
                competitor_ids=self._numbers(competitors, company.number),
                has_parent=bool(owners[company.number]),
            )
        store.put_parents(self._session, owners)

    def _owners(self, named: Sequence[_NamedOwner], own: int) -> dict[int, int]:
        """Return the roles of a company's owners by the owners' record numbers."""
        roles: dict[int, int] = {}
        for ref, role in named:
            number = self._linker.number(ref)
            if number is not None and number != own:
                roles[number] = roles.get(number, 0) | role
        return roles

    def _numbers(self, refs: list[ReferencedCompany], own: int) -> list[int]:
        numbers = [self._linker.number(ref) for ref in refs]
        return list(dict.fromkeys(n for n in numbers if n is not None and n != own))


def merge_company_rows(rows: Rows, source_names: Mapping[int, str]) -> Company:
    """Merge the rows of a company; all of them must have bodies.

    Employer rows of a source's contacts never count as newer than the source's own rows: they only fill gaps.
    """
    own: dict[int, str] = {}
    for (source, stored_id), row in rows.items():
        if not stored_id.endswith(CONTACTS_SUFFIX):
            own[source] = max(own.get(source, ""), row.day)
    return merge_companies(
        [
            DatedCompany(
                row.day if is_own else min(row.day, own.get(source, row.day)),
                source_names[source],
                row_id(stored_id),
                _decode(row.row or b"{}"),
                is_own,
            )
            for (source, stored_id), row in rows.items()
            for is_own in [not stored_id.endswith(CONTACTS_SUFFIX)]
        ]
    )


def _strong_keys(row: PreparedCompany) -> list[bytes]:
    """Return the keys of source id, token, LinkedIn page and host, strongest first."""
    keys = (row.source_digest, row.own.token_digest, row.own.linkedin_digest, row.own.host_digest)
    return [key for key in keys if key is not None]


def _name_keys(row: PreparedCompany) -> list[bytes]:
    return row.own.name_digests


def _may_complete(record: Company, country: str) -> bool:
    """Return whether a record is a stub with a name alone, and in no other country."""
    links = record.social_links
    if not record.stub or record.domain or (links and links.linkedin):
        return False
    return not country or _country(record) in (None, country)


def _only_namesake(namesakes: Sequence[CompanyState], country: str) -> CompanyState | None:
    """Return the only company of a country among namesakes, or of all of them where the country is unknown.

    A stub without a country may be in any: no row with a country matches it.
    """
    in_country = [company for company in namesakes if country and _country(company.canonical()) == country]
    if in_country or len(namesakes) != 1:
        return in_country[0] if len(in_country) == 1 else None
    record = namesakes[0].canonical()
    return namesakes[0] if not country or (_country(record) is None and not record.stub) else None


def _pages_differ(record: Company, slug: str) -> bool:
    links = record.social_links
    page = links.linkedin if links else None
    return bool(slug and page) and linkedin_slug(page or "", "company") != slug


def _country(record: Company) -> str | None:
    return record.location.country_iso2 if record.location else None


class _RelatedCompanies(msgspec.Struct, rename="camel"):
    parents: list[msgspec.Raw] = []
    direct_parent: msgspec.Raw = msgspec.Raw()
    ultimate_parent: msgspec.Raw = msgspec.Raw()
    competitors: list[msgspec.Raw] = []


_decode_related = msgspec.json.Decoder(_RelatedCompanies).decode


def _has_related(company: CompanyState) -> bool:
    """Return whether a company names owners or competitors, which its extras hold."""
    extras = company.parts.extras if company.parts else None
    if extras is None:
        return False
    related = _decode_related(extras)
    return any((related.parents, related.direct_parent, related.ultimate_parent, related.competitors))


def related_companies(digests: Digests, record: Company) -> tuple[list[_NamedOwner], list[ReferencedCompany]]:
    """Return the owners of a company with their roles, and its competitors, each with lookup keys."""
    owners = [(ref, 0) for ref in record.parents]
    owners += [(record.direct_parent, DIRECT_PARENT)] if record.direct_parent else []
    owners += [(record.ultimate_parent, ULTIMATE_PARENT)] if record.ultimate_parent else []
    parents = [(named, role) for ref, role in owners if (named := referenced_company(digests, ref))]
    competitors = [named for ref in record.competitors if (named := referenced_company(digests, ref))]
    return parents, competitors
