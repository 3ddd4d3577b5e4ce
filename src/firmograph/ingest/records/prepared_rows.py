"""Prepared rows: normalised, with keys and stored JSON parts, ready for matching.

The preparing process sends them as MessagePack arrays, hence only small fields and bytes. The record itself stays JSON
in `row`, which few readers decode.
"""

import msgspec

from firmograph.directory.company_json import CompanyParts
from firmograph.directory.contact_json import ContactParts
from firmograph.ingest.records.unread_values import ColumnCounts


class ReferencedCompany(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A company to which another record refers.

    Examples are employers, parents and competitors. At least one of `name_key`, `domain` and `linkedin` is set; `""`
    and None mean absent.
    """

    name: str = ""
    """As written, for a stub and for answers."""
    domain: str = ""
    """The exact host without `www.`."""
    linkedin: str = ""
    """The canonical slug, `company/acme`."""
    country: str = ""
    """ISO 3166-1 alpha-2 code of its headquarters."""
    name_key: str = ""
    """The normalised name (`directory.company_names.company_key`)."""
    linkedin_digest: bytes | None = None
    host_digest: bytes | None = None
    name_digests: list[bytes] = []
    """Digests of each spelling of the name."""
    alias_digests: list[bytes] = []
    """Digests of the same spellings as alternative names, to find companies that have them as an alias."""
    token: str = ""
    """Its record id, if the row is an answer of this service."""
    token_digest: bytes | None = None


class PreparedContact(msgspec.Struct, array_like=True, gc=False):
    line: int
    """Line in its file, from 1; in Parquet the number of the row."""
    source_id: str
    """`""` when the row has none."""
    version: bytes
    """Eight bytes that change exactly when the canonical row, its marks or its stated types do."""
    day: str
    """The row's own `updateDate`, `YYYY-MM-DD`, or `""`."""
    row: bytes
    """JSON of `records.Contact`."""
    source_digest: bytes | None
    linkedin_digest: bytes | None
    email_digests: list[bytes]
    """Digests of its e-mails, in the row's order, without role mailboxes."""
    role_digests: list[bytes]
    """Digests of role mailboxes (`info@`) among its e-mails."""
    mailbox_digests: list[bytes]
    """Digests of the mailboxes of its e-mails, for suppression alone."""
    bare_digests: list[bytes]
    """Digests of the bare addresses of these mailboxes, where the row has another one."""
    first_name: str
    last_name: str
    employer: ReferencedCompany | None
    fragments: ContactParts
    blocking_keys: list[str]
    """Blocking keys of its name at the employer (`directory.names.stored_blocking_keys`)."""
    spelling_keys: tuple[str, ...]
    """Keys for other spellings of its name (`directory.spelling_keys`), by which no row matches."""
    marks: dict[str, bool] = {}
    """Do-not-call marks that the row states, by number."""
    typed: list[int] = []
    """Indexes of the e-mails whose type the row states."""

    employer_row: "PreparedCompany | None" = None
    """Data of the employer beyond its identity."""
    opted_out: bool = False
    """Whether the row says that the person objects to be contacted."""


class PreparedCompany(msgspec.Struct, array_like=True, gc=False):
    line: int
    source_id: str
    version: bytes
    day: str
    row: bytes
    """JSON of `records.Company`."""
    own: ReferencedCompany
    """Its own name, domain and LinkedIn slug with their digests, as another row would name it."""
    source_digest: bytes | None
    fragments: CompanyParts
    """Stored JSON parts without competitors, which the writer adds from the other records."""


class Reject(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A rejected row and the reason, with no value but its `sourceId` unless the import keeps them."""

    line: int
    reason: str
    source_id: str = ""
    is_lost: bool = True
    """Whether data is lost with it; not with footers, suppressed people, and rows that count as deleted."""
    row: bytes = b""
    """Its values, if the import keeps them (`ingest/rejected_rows.py`)."""


class ContactRows(msgspec.Struct, array_like=True, gc=False):
    """A batch of contacts' rows of one file, in its order."""

    file: int
    """Index of the file among those of the import."""
    rows: list[PreparedContact]
    rejects: list[Reject]
    bytes_read: int
    """Bytes read of this file so far, as stored."""
    values: ColumnCounts


class CompanyRows(msgspec.Struct, array_like=True, gc=False):
    """A batch of companies' rows of one file, in its order."""

    file: int
    rows: list[PreparedCompany]
    rejects: list[Reject]
    bytes_read: int
    values: ColumnCounts
