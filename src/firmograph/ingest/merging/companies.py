"""One batch of companies: resolve each row to a record, merge, and write, in the caller's transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import encode_company
from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import Company
from firmograph.directory.row_keys import CONTACTS_SUFFIX, row_id
from firmograph.directory.tables import DIRECT_PARENT, ULTIMATE_PARENT
from firmograph.ingest.merging import store
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.domain_report import HostNames
from firmograph.ingest.merging.existing import write_records, write_rows_and_keys
from firmograph.ingest.merging.existing_companies import CompanyKeys, HeldCompany
from firmograph.ingest.merging.merge import DatedCompany, merge_companies
from firmograph.ingest.merging.source_history import At, Row, Rows, by_name, is_known
from firmograph.ingest.merging.split_rows import SplitCompanyRows
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER, named_company
from firmograph.ingest.records.prepared_rows import NamedCompany, PreparedCompany
from firmograph.ingest.summary import Outcome
from firmograph.security.record_ids import Entity, is_record_token

_decode = msgspec.json.Decoder(Company).decode
_encode = msgspec.json.Encoder().encode

_NamedOwner = tuple[NamedCompany, int]
"""How a row names an owner, and its role."""


class CompanyBatch:
    """Applies prepared rows of one source to the records, in their order in the file."""

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
        """`of_contacts` says that the rows are what those of contacts say of their employers."""
        self._session = session
        self._digests = digests
        self._linker = linker
        self._source_names = {number: name for name, number in sources.items()}
        self._keys = CompanyKeys(digests, self._source_names)
        self._source = sources[source]
        self._day = day
        self._id_end = CONTACTS_SUFFIX if of_contacts else ""
        self._held: dict[int, HeldCompany] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._kept_elsewhere: set[store.Key] = set()
        self._splits = SplitCompanyRows(session, digests, source + self._id_end)
        self.hosts = HostNames()
        """Of each host that companies with different names gave as their domain, these names."""
        self.numbers: dict[int, int] = {}
        """By line the number of the record that a row went to."""

    def apply(
        self, rows: Sequence[PreparedCompany], in_time: Callable[[], bool] = lambda: True
    ) -> list[Outcome]:
        """The outcomes of the first rows, at least one: of all as long as it is in time.

        Everything is written, or, on an exception, left to the rollback.
        """
        self._load(rows)
        outcomes: list[Outcome] = []
        for row in rows:
            outcomes.append(self._apply(row))
            if not in_time():
                break
        self._write()
        return outcomes

    def _write(self) -> None:
        batch = self._held.values()
        write_rows_and_keys(self._session, Entity.COMPANY, batch, self._keys.of, self._kept_elsewhere)
        self._link_others()
        write_records(self._session, Entity.COMPANY, batch)
        self._linker.forget()

    def _load(self, rows: Sequence[PreparedCompany]) -> None:
        """Fetch every record that a row of the batch may meet, in four statements."""
        keys = {key for row in rows for key in (*_strong(row), *_name(row), *self._came_as(row))}
        self._by_key = store.find(self._session, Entity.COMPANY, keys)
        holders = (number for numbers in self._by_key.values() for number in numbers)
        self._load_records(sorted({*holders, *self._splits.load(rows)}))

    def _load_records(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        held_rows = store.rows_of(self._session, Entity.COMPANY, ids)
        for number, fragments in store.company_fragments_of(self._session, ids).items():
            held = self._held[number] = HeldCompany(number)
            held.fragments, held.rows = fragments, held_rows[number]

    # --- resolve ---

    def _resolve(self, row: PreparedCompany) -> tuple[HeldCompany | None, bool]:
        """The record that a row means, and whether a weaker key names another one."""
        met = [number for key in _strong(row) for number in self._by_key.get(key, ())[:1]]
        split = self._splits.number(row)
        if split in self._held:
            met = [split, *met]
        if not met:
            return self._by_name(row), False
        self._kept_elsewhere |= {
            (key, met[0]) for key in _strong(row) if self._by_key.get(key) and met[0] not in self._by_key[key]
        }
        return self._held[met[0]], any(number != met[0] for number in met)

    def _by_name(self, row: PreparedCompany) -> HeldCompany | None:
        """The one stub of this name, else the one record of this name and country that a row may join."""
        named = self._holders(_name(row))
        stubs = [
            held
            for held in named
            if _may_be_whole_as(held.merged(), row.own.country) and not self._other_source_id(held, row)
        ]
        if len(stubs) == 1:
            return stubs[0]
        only = _only_of(named, row.own.country)
        like = [held for held in named if self._may_join(held, row, only=held is only)]
        came_to = [*named, *self._holders(self._came_as(row))]
        return by_name(self._at(row), (row.version,), came_to, like)

    def _holders(self, keys: Iterable[bytes]) -> list[HeldCompany]:
        numbers = dict.fromkeys(number for key in keys for number in self._by_key.get(key, ()))
        return [self._held[number] for number in numbers]

    def _came_as(self, row: PreparedCompany) -> list[bytes]:
        """The key of a version that has no other key, held where a later one with another name took its place."""
        if row.source_id or _strong(row):
            return []
        return [self._digests.company_version(self._source_names[self._source], row.version.hex())]

    def _may_join(self, held: HeldCompany, row: PreparedCompany, *, only: bool) -> bool:
        """Whether name and country join a row to a record (docs/reference/records.md#identity-keys).

        Where neither has a domain; and where one of them has, if the record is the only one of this name and country.
        """
        record = held.merged()
        if self._other_source_id(held, row) or _pages_differ(record, row.own.linkedin):
            return False
        if record.domain or row.own.domain:
            return only and not (record.domain and row.own.domain)
        return _country(record) == (row.own.country or None)

    def _other_source_id(self, held: HeldCompany, row: PreparedCompany) -> bool:
        """Whether the source tells the two apart: by its ids, or by those of the answers that they come from."""
        ids = {self._source: row.source_id, STUB_SOURCE_NUMBER: row.own.token}
        return any(
            source_id and ids.get(source) and source_id != ids[source]
            for source, source_id in ((source, row_id(stored_id)) for source, stored_id in held.rows)
            if source != STUB_SOURCE_NUMBER or is_record_token(source_id)
        )

    # --- apply ---

    def _apply(self, row: PreparedCompany) -> Outcome:
        self._note_host(row)
        held, conflict = self._resolve(row)
        if held is None:
            self._create(row)
            return Outcome(row.line, created=True)
        was_stub = held.merged().stub
        changed = self._place(held, row)
        created = changed and was_stub and not held.merged().stub
        return Outcome(
            row.line,
            created=created,
            updated=changed and not created,
            unchanged=not changed,
            conflict=conflict,
        )

    def _note_host(self, row: PreparedCompany) -> None:
        for number in self._by_key.get(row.own.host_digest or b"", ())[:1]:
            name = self._held[number].merged().name
            if name and row.own.name and name != row.own.name:
                self.hosts.add(row.own.domain, company_key(name), row.own.name_key)

    def _create(self, row: PreparedCompany) -> None:
        number = self.numbers[row.line] = self._linker.next_number()
        held = self._held[number] = HeldCompany(number)
        held.made = True
        at = self._at(row)
        held.rows[at] = Row(row.version, row.day or self._day, None, row.row, None)
        held.touched.add(at)
        held.fragments = row.fragments
        held.changed = True
        held.keys = set()
        held.new_keys = self._keys.of(held)
        self._hold(held.new_keys, number)

    def _at(self, row: PreparedCompany) -> At:
        """Return the place of a row among those of its record."""
        return self._source, row.source_id + self._id_end

    def _hold(self, keys: set[bytes], number: int) -> None:
        for key in keys:
            numbers = self._by_key.setdefault(key, [])
            if number not in numbers:
                numbers.append(number)

    def _place(self, held: HeldCompany, row: PreparedCompany) -> bool:
        """Put a row among the rows of its record; whether the record is another one now."""
        self.numbers[row.line] = held.number
        at = self._at(row)
        incoming = Row(row.version, row.day or self._day, None, row.row, None)
        if at in held.rows and is_known(held.rows[at], (row.version,)):
            return False
        if held.keys is None:
            held.keys = self._keys.of(held)
        return held.place(at, incoming) and self._merge(held)

    def _merge(self, held: HeldCompany) -> bool:
        before = _encode(held.merged())
        held.new_keys = None
        held.record = merged_company(held.rows, self._source_names)
        held.fragments = encode_company(held.record)
        changed = before != _encode(held.record)
        held.changed |= changed
        self._hold(self._keys.of(held), held.number)
        return changed

    # --- the companies that these name ---

    def _link_others(self) -> None:
        """Link owners and competitors, now that the keys of every company of the batch stand in the database."""
        named = [held for held in self._held.values() if held.changed and _names_others(held)]
        refs = {held.number: _refs(self._digests, held.merged()) for held in named}
        self._linker.forget()
        every = [ref for owners, rivals in refs.values() for ref in (*(ref for ref, _ in owners), *rivals)]
        self._linker.link(self._session, every)
        owners: dict[int, dict[int, int]] = {
            held.number: {} for held in self._held.values() if held.changed and not held.made
        }
        for held in named:
            named_owners, rivals = refs[held.number]
            owners[held.number] = self._owners(named_owners, held.number)
            held.fragments = encode_company(
                held.merged(),
                competitor_ids=self._numbers(rivals, held.number),
                has_parent=bool(owners[held.number]),
            )
        store.put_parents(self._session, owners)

    def _owners(self, named: Sequence[_NamedOwner], own: int) -> dict[int, int]:
        """The numbers of a company's owners, with the roles in which they were named."""
        roles: dict[int, int] = {}
        for ref, role in named:
            number = self._linker.number(ref)
            if number is not None and number != own:
                roles[number] = roles.get(number, 0) | role
        return roles

    def _numbers(self, refs: list[NamedCompany], own: int) -> list[int]:
        numbers = [self._linker.number(ref) for ref in refs]
        return list(dict.fromkeys(n for n in numbers if n is not None and n != own))


def merged_company(rows: Rows, source_names: Mapping[int, str]) -> Company:
    """The record of a company whose rows all have bodies.

    What contacts of a source say of it is never newer than the source's own rows of it: it only fills them up.
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


def _strong(row: PreparedCompany) -> list[bytes]:
    """Source id, token, LinkedIn, host: strongest first."""
    keys = (row.source_digest, row.own.token_digest, row.own.linkedin_digest, row.own.host_digest)
    return [key for key in keys if key is not None]


def _name(row: PreparedCompany) -> list[bytes]:
    return row.own.name_digests


def _may_be_whole_as(record: Company, country: str) -> bool:
    """Whether a record is a stub of no more than a name, and not of a company in another country."""
    links = record.social_links
    if not record.stub or record.domain or (links and links.linkedin):
        return False
    return not country or _country(record) in (None, country)


def _only_of(named: Sequence[HeldCompany], country: str) -> HeldCompany | None:
    """The single company of a country among those of one name; where no country is known, the single one anywhere.

    A company that was only named, without a country, may be of any: no row of a country is taken for it.
    """
    there = [held for held in named if country and _country(held.merged()) == country]
    if there or len(named) != 1:
        return there[0] if len(there) == 1 else None
    record = named[0].merged()
    return named[0] if not country or (_country(record) is None and not record.stub) else None


def _pages_differ(record: Company, slug: str) -> bool:
    links = record.social_links
    held = links.linkedin if links else None
    return bool(slug and held) and linkedin_slug(held or "", "company") != slug


def _country(record: Company) -> str | None:
    return record.location.country_iso2 if record.location else None


class _Others(msgspec.Struct, rename="camel"):
    parents: list[msgspec.Raw] = []
    direct_parent: msgspec.Raw = msgspec.Raw()
    ultimate_parent: msgspec.Raw = msgspec.Raw()
    competitors: list[msgspec.Raw] = []


_others = msgspec.json.Decoder(_Others).decode


def _names_others(held: HeldCompany) -> bool:
    """Whether a company names owners or competitors; they stand in its extras."""
    extras = held.fragments.extras if held.fragments else None
    if extras is None:
        return False
    others = _others(extras)
    return any((others.parents, others.direct_parent, others.ultimate_parent, others.competitors))


def _refs(digests: Digests, record: Company) -> tuple[list[_NamedOwner], list[NamedCompany]]:
    """How the owners, with their roles, and the competitors of a company are looked for."""
    owners = [(ref, 0) for ref in record.parents]
    owners += [(record.direct_parent, DIRECT_PARENT)] if record.direct_parent else []
    owners += [(record.ultimate_parent, ULTIMATE_PARENT)] if record.ultimate_parent else []
    parents = [(named, role) for ref, role in owners if (named := named_company(digests, ref))]
    rivals = [named for ref in record.competitors if (named := named_company(digests, ref))]
    return parents, rivals
