"""Endpoints of columns: list, add, remove, run, and the catalogs."""

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.kit.errors import Conflict
from firmograph.record_tables import answers, shapes
from firmograph.record_tables.answers import CatalogAnswer
from firmograph.record_tables.column_calls import ColumnCalls
from firmograph.record_tables.declaration import EXAMPLE_OWNER, table_endpoint
from firmograph.security.record_ids import Entity

_FIRST_KEYS = {Entity.CONTACT: "workEmail", Entity.COMPANY: "yearFounded"}
_SECOND_KEYS = {Entity.CONTACT: "seniority", Entity.COMPANY: "employeeCount"}


def routes(calls: ColumnCalls) -> list[Endpoint]:
    return [one for entity in Entity for one in (_catalog(calls, entity), *_columns(calls, entity))]


def _catalog(calls: ColumnCalls, entity: Entity) -> Endpoint:
    @table_endpoint(
        "GET",
        entity,
        "/columns",
        name="get_{kind}_column_catalog",
        answer=answers.CatalogAnswer,
        summary="List the columns that a table of {type} can be given",
        description="The catalog, the same for every table. Lists and objects are of type `object`.",
    )
    def get_catalog(call: Call[None]) -> CatalogAnswer:
        return calls.list_catalog(call, entity)

    return get_catalog


def _columns(calls: ColumnCalls, entity: Entity) -> list[Endpoint]:
    @table_endpoint(
        "GET",
        entity,
        "/{table_id}/columns",
        name="get_{kind}_table_columns",
        segments=shapes.TablePath,
        query=shapes.OwnerQuery,
        answer=answers.ColumnListAnswer,
        summary="List the columns of a table of {type}",
        description="The columns in the order of adding, default ones first, with their counts of cells by status.",
    )
    def get_columns(call: Call[None]) -> Deferred:
        return Deferred(lambda: calls.list_columns(call, entity), writes=False)

    @table_endpoint(
        "POST",
        entity,
        "/{table_id}/columns",
        name="add_{kind}_table_columns",
        segments=shapes.TablePath,
        body=shapes.AddColumns,
        answer=answers.ColumnsAddedAnswer,
        summary="Add columns to a table of {type}",
        description="Adds 1 to 10 columns of the catalog and runs them on all rows at once, whatever credits remain."
        " Give exactly one of `columns` and `columnKey`. Adding is free; what a run costs is charged as cells are"
        " filled. A column that the table has already, a default one too, is `added` with its `columnId`, and is not"
        " run again; a key that the catalog does not have is `failed`, and the others are added. A table has at most"
        " 100 columns: 403, and nothing is added.",
        charges=True,
        errors=[Conflict],
        examples={
            "one": {"columnKey": _FIRST_KEYS[entity], "owner": EXAMPLE_OWNER},
            "several": {
                "columns": [{"columnKey": _FIRST_KEYS[entity]}, {"columnKey": _SECOND_KEYS[entity]}],
                "owner": EXAMPLE_OWNER,
            },
        },
    )
    def add_columns(call: Call[shapes.AddColumns]) -> Deferred:
        return Deferred(lambda: calls.add(call, entity))

    @table_endpoint(
        "DELETE",
        entity,
        "/{table_id}/columns/{column_id}",
        name="remove_{kind}_table_column",
        segments=shapes.ColumnPath,
        query=shapes.OwnerQuery,
        answer=answers.ColumnRemovedAnswer,
        summary="Remove a column from a table of {type}",
        description="Permanent, with its cells. Its open runs end, and charge nothing more. 400 for a default column.",
        changes=True,
    )
    def remove_column(call: Call[None]) -> Deferred:
        return Deferred(lambda: calls.remove(call, entity))

    @table_endpoint(
        "POST",
        entity,
        "/{table_id}/columns/{column_id}/run",
        name="run_{kind}_table_column",
        segments=shapes.ColumnPath,
        body=shapes.RunColumn,
        answer=answers.RunAnswer,
        summary="Run a column of a table of {type}",
        description="Accepted at once, whatever credits remain; the cells are filled afterwards and show `processing`"
        " until then. `all` takes every row, `missing` those that are `not_run` or `failed`, `specific` those of"
        " `entityIds`; ids that are no rows are passed over, and so are cells that an open run has already. Cells that"
        " the credits do not suffice for are `failed` with `error` `INSUFFICIENT_CREDITS`. Columns of signals and of"
        " the signal score need a plan with signals.",
        charges=True,
        errors=[Conflict],
        examples={
            "missing": {"runScope": "missing", "owner": EXAMPLE_OWNER},
            "some rows": {
                "runScope": "specific",
                "entityIds": ["v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
                "owner": EXAMPLE_OWNER,
            },
        },
    )
    def run_column(call: Call[shapes.RunColumn]) -> Deferred:
        return Deferred(lambda: calls.run(call, entity))

    return [get_columns, add_columns, remove_column, run_column]
