"""One batch of companies: resolve each row to a record, merge, and write, in the caller's transaction."""

from collections.abc import Callable, Sequence

import msgspec

from firmograph.directory.company_fragments import CompanyFragments, company_fragments, company_record
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company
from firmograph.directory.row_keys import company_row_keys
from firmograph.ingest import store
from firmograph.ingest.history import Row, by_name, drop_oldest, history_of, is_known
from firmograph.ingest.keys import named_company
from firmograph.ingest.link import Linker
from firmograph.ingest.merge import DatedCompany, merge_companies
from firmograph.ingest.prepared import NamedCompany, PreparedCompany
from firmograph.ingest.summary import Outcome
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity

_decode = msgspec.json.Decoder(Company).decode
_encode = msgspec.json.Encoder().encode


class _Held:
    """A company as it stands in the middle of a batch."""

    __slots__ = ("changed", "fragments", "keys", "new_keys", "number", "record", "rows", "touched")

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[tuple[int, str], Row] = {}
        self.fragments: CompanyFragments | None = None
        self.record: Company | None = None
        self.keys: set[bytes] | None = None
        """The keys it holds in the database; None while that was not asked."""
        self.new_keys: set[bytes] | None = None
        """The keys of a record that was made in this batch and not merged since."""
        self.touched: set[tuple[int, str]] = set()
        self.changed = False

    def merged(self) -> Company:
        if self.record is None:
            assert self.fragments is not None
            self.record = company_record(self.fragments)
        return self.record


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
    ) -> None:
        self._session = session
        self._digests = digests
        self._linker = linker
        self._source_names = {number: name for name, number in sources.items()}
        self._source = sources[source]
        self._day = day
        self._held: dict[int, _Held] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._kept_elsewhere: set[tuple[bytes, int]] = set()
        self._relinked: list[_Held] = []

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
        self._link_others()
        self._write()
        self._linker.forget()
        return outcomes

    def _load(self, rows: Sequence[PreparedCompany]) -> None:
        """Fetch every record that a row of the batch may meet, in three statements."""
        keys = {key for row in rows for key in (*_strong(row), *_name(row))}
        self._by_key = store.find(self._session, Entity.COMPANY, keys)
        ids = sorted({number for numbers in self._by_key.values() for number in numbers})
        if not ids:
            return
        held_rows = store.rows_of(self._session, Entity.COMPANY, ids)
        for number, fragments in store.company_fragments_of(self._session, ids).items():
            held = self._held[number] = _Held(number)
            held.fragments, held.rows = fragments, held_rows[number]

    # --- resolve ---

    def _resolve(self, row: PreparedCompany) -> tuple[_Held | None, bool]:
        """The record that a row means, and whether a weaker key names another one."""
        met = [number for key in _strong(row) for number in self._by_key.get(key, ())[:1]]
        if not met:
            return self._by_name(row), False
        self._kept_elsewhere |= {
            (key, met[0]) for key in _strong(row) if self._by_key.get(key) and met[0] not in self._by_key[key]
        }
        return self._held[met[0]], any(number != met[0] for number in met)

    def _by_name(self, row: PreparedCompany) -> _Held | None:
        """The one stub of this name, else the one record of this name and country without a domain."""
        named = [self._held[n] for key in _name(row) for n in self._by_key.get(key, ())]
        stubs = [held for held in named if _may_be_whole_as(held.merged(), row.own.country)]
        if len(stubs) == 1:
            return stubs[0]
        if row.own.domain:
            return None
        like = [
            held
            for held in named
            if not held.merged().domain
            and _country(held.merged()) == (row.own.country or None)
            and not self._other_source_id(held, row)
        ]
        return by_name((self._source, row.source_id), row.version, named, like)

    def _other_source_id(self, held: _Held, row: PreparedCompany) -> bool:
        return any(
            source == self._source and source_id and row.source_id and source_id != row.source_id
            for source, source_id in held.rows
        )

    # --- apply ---

    def _apply(self, row: PreparedCompany) -> Outcome:
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

    def _create(self, row: PreparedCompany) -> None:
        number = self._linker.next_number()
        held = self._held[number] = _Held(number)
        at = (self._source, row.source_id)
        held.rows[at] = Row(row.version, row.day or self._day, None, row.row, None)
        held.touched.add(at)
        held.fragments = row.fragments
        held.changed = True
        held.keys = set()
        held.new_keys = self._keys_of(held)
        self._hold(held.new_keys, number)

    def _hold(self, keys: set[bytes], number: int) -> None:
        for key in keys:
            numbers = self._by_key.setdefault(key, [])
            if number not in numbers:
                numbers.append(number)

    def _place(self, held: _Held, row: PreparedCompany) -> bool:
        """Put a row among the rows of its record; whether the record is another one now."""
        at = (self._source, row.source_id)
        incoming = Row(row.version, row.day or self._day, None, row.row, None)
        if at in held.rows and is_known(held.rows[at], row.version):
            return False
        if held.keys is None:
            held.keys = self._keys_of(held)
        self._fill_rows(held)
        held.rows[at] = _latest(held.rows[at], incoming) if at in held.rows else incoming
        held.touched.add(at)
        held.touched |= drop_oldest(held.rows)
        return at in held.rows and self._merge(held)

    def _fill_rows(self, held: _Held) -> None:
        """Give a row that was stored as the record itself a body of its own: it may soon differ from it."""
        for at, row in held.rows.items():
            if row.row is None:
                held.rows[at] = row._replace(row=_encode(held.merged()))
                held.touched.add(at)

    def _merge(self, held: _Held) -> bool:
        before = _encode(held.merged())
        held.new_keys = None
        rows = [
            DatedCompany(row.day, self._source_names[source], source_id, _decode(row.row or b"{}"))
            for (source, source_id), row in held.rows.items()
        ]
        held.record = merge_companies(rows)
        held.fragments = company_fragments(held.record)
        changed = before != _encode(held.record)
        held.changed |= changed
        self._hold(self._keys_of(held), held.number)
        return changed

    def _keys_of(self, held: _Held) -> set[bytes]:
        keys: set[bytes] = set()
        for (source, source_id), row in held.rows.items():
            record = _decode(row.row) if row.row is not None else held.merged()
            keys |= company_row_keys(self._digests, self._source_names[source], source_id, record).every()
        return keys

    # --- the companies that these name ---

    def _link_others(self) -> None:
        """Link owners and competitors, now that every row of the batch has its record."""
        named = [held for held in self._held.values() if held.changed and _names_others(held)]
        refs = {held.number: _refs(self._digests, held.merged()) for held in named}
        self._linker.forget()
        # what this batch made is not in the database yet, so it is written before it is looked for
        self._write_records()
        every = [ref for parents, rivals in refs.values() for ref in (*parents, *rivals)]
        self._linker.link(self._session, every)
        owners: dict[int, list[int]] = {
            held.number: [] for held in self._held.values() if held.changed and held.keys
        }
        for held in named:
            parents, rivals = refs[held.number]
            owners[held.number] = self._numbers(parents, held.number)
            held.fragments = company_fragments(
                held.merged(),
                competitor_ids=self._numbers(rivals, held.number),
                has_parent=bool(owners[held.number]),
            )
        store.put_parents(self._session, owners)
        self._relinked = named

    def _numbers(self, refs: list[NamedCompany], own: int) -> list[int]:
        numbers = [self._linker.number(ref) for ref in refs]
        return list(dict.fromkeys(n for n in numbers if n is not None and n != own))

    # --- write ---

    def _write_records(self) -> None:
        session, batch = self._session, list(self._held.values())
        self._put([held for held in batch if held.changed])
        store.put_rows(session, Entity.COMPANY, [row for held in batch for row in _stored_rows(held)])
        gone = [(held.number, *at) for held in batch for at in held.touched if at not in held.rows]
        store.drop_rows(session, Entity.COMPANY, gone)
        added: list[tuple[bytes, int]] = []
        dropped: list[tuple[bytes, int]] = []
        for held in batch:
            if held.touched:
                assert held.keys is not None
                now = self._keys_of(held) if held.new_keys is None else held.new_keys
                added += [(key, held.number) for key in now - held.keys]
                dropped += [(key, held.number) for key in held.keys - now]
        store.put_keys(session, Entity.COMPANY, [one for one in added if one not in self._kept_elsewhere])
        store.drop_keys(session, Entity.COMPANY, dropped)

    def _put(self, companies: list[_Held]) -> None:
        rows = [(held.number, held.fragments) for held in companies if held.fragments is not None]
        store.put_companies(self._session, rows)

    def _write(self) -> None:
        self._put(self._relinked)
        changed = [held.number for held in self._held.values() if held.changed]
        store.put_changes(self._session, Entity.COMPANY, changed)


def _strong(row: PreparedCompany) -> list[bytes]:
    """Source id, LinkedIn, host: strongest first."""
    keys = (row.source_digest, row.own.linkedin_digest, row.own.host_digest)
    return [key for key in keys if key is not None]


def _name(row: PreparedCompany) -> list[bytes]:
    return [row.own.name_digest] if row.own.name_digest else []


def _latest(old: Row, row: Row) -> Row:
    """The row that a source's place holds once `row` has come to it."""
    history = history_of(old)
    kept, gone = (old, row) if row.day < old.day else (row, old)
    history.remember(gone.version, gone.day, None)
    return kept._replace(history=_encode(history))


def _stored_rows(held: _Held) -> list[store.StoredRow]:
    alone = len(held.rows) == 1
    return [
        (held.number, source, source_id, *(row._replace(row=None) if alone and not row.history else row))
        for (source, source_id), row in held.rows.items()
        if (source, source_id) in held.touched
    ]


def _may_be_whole_as(record: Company, country: str) -> bool:
    """Whether a record is a stub of no more than a name, and not of a company in another country."""
    links = record.social_links
    if not record.stub or record.domain or (links and links.linkedin):
        return False
    return not country or _country(record) in (None, country)


def _country(record: Company) -> str | None:
    return record.location.country_iso2 if record.location else None


class _Others(msgspec.Struct):
    parents: list[msgspec.Raw] = []
    competitors: list[msgspec.Raw] = []


_others = msgspec.json.Decoder(_Others).decode


def _names_others(held: _Held) -> bool:
    """Whether a company names owners or competitors; they stand in its extras."""
    extras = held.fragments.extras if held.fragments else None
    if extras is None:
        return False
    others = _others(extras)
    return bool(others.parents or others.competitors)


def _refs(digests: Digests, record: Company) -> tuple[list[NamedCompany], list[NamedCompany]]:
    """How the owners and the competitors of a company are looked for."""
    parents = [named for ref in record.parents if (named := named_company(digests, ref))]
    rivals = [named for ref in record.competitors if (named := named_company(digests, ref))]
    return parents, rivals
