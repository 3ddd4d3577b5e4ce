"""Rows as they come out of preparation: normalised, with their keys and stored fragments, ready to be resolved.

They cross from the preparing process to the writing one as MessagePack arrays, so they hold small fields and
bytes only; the whole record stays bytes (`row`) and is decoded by the few who need it.
"""

import msgspec

from firmograph.directory.company_json import CompanyParts
from firmograph.directory.contact_json import ContactParts
from firmograph.ingest.records.unread_values import ColumnCounts


class ReferencedCompany(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A company as another row names it: an employer, a parent, a competitor.

    At least one of `name_key`, `domain` and `linkedin` is there; `""` and None stand for what is not.
    """

    name: str = ""
    """As written, for a stub and for answers."""
    domain: str = ""
    """The exact host without `www.`."""
    linkedin: str = ""
    """The canonical slug, `company/acme`."""
    country: str = ""
    """ISO 3166-1 alpha-2 of its headquarters, where the row says so."""
    name_key: str = ""
    """The normalised name (`directory.company_names.company_key`)."""
    linkedin_digest: bytes | None = None
    host_digest: bytes | None = None
    domain_digest: bytes | None = None
    """Of the registrable domain: found by, never merged by."""
    name_digests: list[bytes] = []
    """Of each spelling of the name."""
    alias_digests: list[bytes] = []
    """Of the same as alternative names: to look them up among the others' aliases."""
    token: str = ""
    """Its id in the answers that the row comes from."""
    token_digest: bytes | None = None


class PreparedContact(msgspec.Struct, array_like=True, gc=False):
    line: int
    """In its file, from 1 (the row number in Parquet)."""
    source_id: str
    """`""` when the row has none."""
    version: bytes
    """8 bytes that change exactly when the canonical row, its marks or its stated types do."""
    day: str
    """The row's own `updateDate`, `YYYY-MM-DD`, or `""`."""
    row: bytes
    """JSON of `records.Contact`."""
    source_digest: bytes | None
    linkedin_digest: bytes | None
    email_digests: list[bytes]
    """Of its e-mails, in the row's order, without role mailboxes."""
    role_digests: list[bytes]
    """Of the mailboxes of a post or a team among its e-mails (`info@`)."""
    first_name: str
    last_name: str
    employer: ReferencedCompany | None
    fragments: ContactParts
    blocks: list[str]
    """The name blocks under which the contact is found at its employer (`directory.names.stored_blocking_keys`)."""
    former_version: bytes = b""
    """The digest of the same row before marks and stated types were part of it; rows stored then have it."""
    marks: dict[str, bool] = {}
    """Of each number whether it is do-not-call, where the row says so or says that it is not."""
    typed: list[int] = []
    """The places of the e-mails whose type the row states."""

    employer_row: "PreparedCompany | None" = None
    """What the row says of its employer, if it says more than who that is."""

    def versions(self) -> tuple[bytes, bytes]:
        """The digests under which this version may be known."""
        return self.version, self.former_version


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
    """As if it had no competitors; the writer, who knows the other records, makes them anew where it has."""


class Reject(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A row that was set aside, and why, in words for the operator. No value of the row but its `sourceId`."""

    line: int
    reason: str
    source_id: str = ""


class ContactRows(msgspec.Struct, array_like=True, gc=False):
    """A stretch of rows of one file, in its order."""

    file: int
    """Which of the files that were asked for, from 0."""
    rows: list[PreparedContact]
    rejects: list[Reject]
    bytes_read: int
    """Of this file so far, as it is stored."""
    values: ColumnCounts


class CompanyRows(msgspec.Struct, array_like=True, gc=False):
    """A stretch of rows of one file, in its order."""

    file: int
    rows: list[PreparedCompany]
    rejects: list[Reject]
    bytes_read: int
    values: ColumnCounts
