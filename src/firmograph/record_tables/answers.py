"""Answers on tables (docs/reference/tables.md#records)."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.previews import (
    CompanyLocation,
    Employer,
    PreviewLinks,
    PreviewLocation,
    ResponsePart,
    Title,
    Token,
)
from firmograph.directory.records import Count
from firmograph.record_tables.types import CellStatus, ColumnKindName, EntityType, RunScope, Surface

_Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]


class TableOwner(ResponsePart):
    id: int
    email: Annotated[str, Meta(description="Left out once the user has been removed")] | UnsetType = UNSET


class TableCreator(ResponsePart):
    surface: Surface
    created_by_user_id: int


class TableView(ResponsePart, kw_only=True):
    """Table."""

    table_id: Annotated[str, Meta(description="Digits")]
    name: str
    entity_type: EntityType
    visibility: Literal["private", "shared"]
    status: Literal["active", "archived"]
    owner: TableOwner
    created_by: TableCreator
    workspace_url: str
    entity_count: _Count
    column_count: _Count
    is_processing: Annotated[bool, Meta(description="Whether a run is open")]


class ColumnView(ResponsePart, kw_only=True):
    """Column; its five counters add up to the number of rows."""

    column_id: Annotated[str, Meta(description="8 hexadecimal digits")]
    name: str
    type: ColumnKindName
    key: Annotated[str | None, Meta(description="Key of the catalog; null for other types")]
    is_default: bool
    added_at: Moment
    updated_at: Moment
    rows_not_run: _Count
    rows_processing: _Count
    rows_success: _Count
    rows_no_data: _Count
    rows_failed: _Count


class TableStatus(TableView, kw_only=True):
    """Table with its columns."""

    columns: list[ColumnView]
    invalid_ids: (
        Annotated[
            list[str], Meta(description="On creation with `ids`: those that are no row, as they were sent")
        ]
        | UnsetType
    ) = UNSET


class CellView(ResponsePart, kw_only=True):
    id: Annotated[str, Meta(description="The column's `columnId`")]
    name: str
    type: Literal["string", "number", "object"]
    source_type: ColumnKindName
    value: Annotated[Any, Meta(description="Of `type`; null without one. A failed cell has that of before")]
    status: CellStatus
    error: str | UnsetType = UNSET
    do_not_call: bool | UnsetType = UNSET


class ShownContact(ResponsePart, kw_only=True):
    """Row with the free preview of its record as it is now, and a cell for every column."""

    id: Token
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    full_name: str | UnsetType = UNSET
    job_title: Title | UnsetType = UNSET
    company: Employer | UnsetType = UNSET
    location: PreviewLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET
    columns: list[CellView]


class ShownCompany(ResponsePart, kw_only=True):
    """Row with the free preview of its record as it is now, and a cell for every column."""

    id: Token
    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    employee_count: Count | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    location: CompanyLocation | UnsetType = UNSET
    social_links: PreviewLinks | UnsetType = UNSET
    columns: list[CellView]


class TablePagination(ResponsePart):
    page: _Count
    size: _Count
    total: _Count


class _Answer(ResponsePart, kw_only=True):
    request_id: str


class TableStatusAnswer(_Answer, kw_only=True):
    data: TableStatus
    billing: Billing


class TableListAnswer(_Answer, kw_only=True):
    data: list[TableView]
    pagination: TablePagination
    billing: Billing


class TableDeletedAnswer(_Answer, kw_only=True):
    table_id: str
    status: Literal["deleted"]
    billing: Billing


class ContactRowsAnswer(_Answer, kw_only=True):
    data: list[ShownContact]
    pagination: TablePagination
    billing: Billing


class CompanyRowsAnswer(_Answer, kw_only=True):
    data: list[ShownCompany]
    pagination: TablePagination
    billing: Billing


class AddedBy(ResponsePart):
    surface: Surface


class AddedRows(ResponsePart, kw_only=True):
    added: _Count
    already_present: _Count
    invalid_ids: list[str]
    added_by: AddedBy


class RowsAddedAnswer(_Answer, kw_only=True):
    data: AddedRows
    billing: Billing


class RemovedRows(ResponsePart, kw_only=True):
    removed: _Count
    invalid_ids: list[str]


class RowsRemovedAnswer(_Answer, kw_only=True):
    data: RemovedRows
    billing: Billing


class ColumnListAnswer(_Answer, kw_only=True):
    data: list[ColumnView]
    billing: Billing


class AddedColumn(ResponsePart, kw_only=True):
    column_key: str
    status: Literal["added", "failed"]
    column_id: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class ColumnsAddedAnswer(_Answer, kw_only=True):
    data: list[AddedColumn]
    billing: Billing


class ColumnRemovedAnswer(_Answer, kw_only=True):
    table_id: str
    column_id: str
    removed: bool
    billing: Billing


class StartedRun(ResponsePart, kw_only=True):
    column_id: str
    run_scope: RunScope
    status: Literal["processing"]


class RunAnswer(_Answer, kw_only=True):
    data: StartedRun
    billing: Billing


class CatalogEntry(ResponsePart, kw_only=True):
    category: str
    display_name: str
    column_key: str
    type: Literal["string", "number", "object"]


class CatalogAnswer(_Answer, kw_only=True):
    data: list[CatalogEntry]
    billing: Billing
