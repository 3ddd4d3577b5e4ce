"""Endpoints of columns: list, add, remove, run, and the catalogs."""

from firmograph.api.charged_answers import charge
from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.api.envelope import Billing
from firmograph.kit.errors import Conflict
from firmograph.record_tables import answers, shapes
from firmograph.record_tables.answers import CatalogAnswer
from firmograph.record_tables.column_calls.calls import ColumnCalls, asked_columns
from firmograph.record_tables.common_routes import EXAMPLE_OWNER, table_endpoints
from firmograph.security.record_ids import Entity

_FIRST_KEYS = {Entity.CONTACT: "workEmail", Entity.COMPANY: "yearFounded"}
_SECOND_KEYS = {Entity.CONTACT: "seniority", Entity.COMPANY: "employeeCount"}


def routes(calls: ColumnCalls) -> list[Endpoint]:
    return [
        one
        for entity in Entity
        for one in table_endpoints(entity, [_catalog(calls, entity), *_columns(calls, entity)])
    ]


def _catalog(calls: ColumnCalls, entity: Entity) -> Endpoint:
    def get_catalog(call: Call[None]) -> CatalogAnswer:
        entries = calls.list_catalog(entity)
        return CatalogAnswer(request_id=call.request_id, data=entries, billing=Billing(0, len(entries)))

    return Endpoint(
        name="get_{kind}_column_catalog",
        method="GET",
        path="/columns",
        function=get_catalog,
        answer=answers.CatalogAnswer,
        summary="List the columns that a table of {type} can be given",
        description="The catalog, the same for every table. Lists and objects are of type `object`.",
    )


def _render_added(
    content: list[answers.AddedColumn], request_id: str, credits: int
) -> answers.ColumnsAddedAnswer:
    billing = Billing(credits, len(content))
    return answers.ColumnsAddedAnswer(request_id=request_id, data=content, billing=billing)


def _columns(calls: ColumnCalls, entity: Entity) -> list[Endpoint]:
    def get_columns(call: Call[None]) -> Deferred:
        def read() -> answers.ColumnListAnswer:
            columns = calls.list_columns(call.request, entity, call.segments.table_id, call.query.email)
            billing = Billing(0, len(columns))
            return answers.ColumnListAnswer(request_id=call.request_id, data=columns, billing=billing)

        return Deferred(read, writes=False)

    def add_columns(call: Call[shapes.AddColumns]) -> Deferred:
        request, body, table_id = call.request, call.body, call.segments.table_id
        asked = asked_columns(entity, body)
        return charge(lambda: calls.add(request, asked, entity, table_id, body.owner.email), _render_added)

    def remove_column(call: Call[None]) -> Deferred:
        path, email = call.segments, call.query.email

        def render(content: None, request_id: str, credits: int) -> answers.ColumnRemovedAnswer:
            return answers.ColumnRemovedAnswer(
                request_id=request_id,
                table_id=path.table_id,
                column_id=path.column_id,
                removed=True,
                billing=Billing(0, 0),
            )

        return charge(
            lambda: calls.remove(call.request, entity, path.table_id, path.column_id, email), render
        )

    def run_column(call: Call[shapes.RunColumn]) -> Deferred:
        path, body = call.segments, call.body

        def render(content: int | None, request_id: str, credits: int) -> answers.RunAnswer:
            run = answers.StartedRun(column_id=path.column_id, run_scope=body.run_scope, status="processing")
            return answers.RunAnswer(request_id=request_id, data=run, billing=Billing(credits, 1))

        return charge(lambda: calls.run(call.request, body, entity, path.table_id, path.column_id), render)

    return [
        Endpoint(
            name="get_{kind}_table_columns",
            method="GET",
            path="/{table_id}/columns",
            function=get_columns,
            segments=shapes.TablePath,
            query=shapes.OwnerQuery,
            answer=answers.ColumnListAnswer,
            summary="List the columns of a table of {type}",
            description="The columns in the order of adding, default ones first, with their counts of cells by status.",
        ),
        Endpoint(
            name="add_{kind}_table_columns",
            method="POST",
            path="/{table_id}/columns",
            function=add_columns,
            segments=shapes.TablePath,
            body=shapes.AddColumns,
            answer=answers.ColumnsAddedAnswer,
            summary="Add columns to a table of {type}",
            description="Adds 1 to 10 columns of the catalog and runs them on all rows at once, whatever credits"
            " remain. Give exactly one of `columns` and `columnKey`. Adding is free; what a run costs is charged as"
            " cells are filled. A column that the table has already, a default one too, is `added` with its `columnId`,"
            " and is not run again; a key that the catalog does not have is `failed`, and the others are added. A table"
            " has at most 100 columns: 403, and nothing is added.",
            charges=True,
            errors=[Conflict],
            examples={
                "one": {"columnKey": _FIRST_KEYS[entity], "owner": EXAMPLE_OWNER},
                "several": {
                    "columns": [{"columnKey": _FIRST_KEYS[entity]}, {"columnKey": _SECOND_KEYS[entity]}],
                    "owner": EXAMPLE_OWNER,
                },
            },
        ),
        Endpoint(
            name="remove_{kind}_table_column",
            method="DELETE",
            path="/{table_id}/columns/{column_id}",
            function=remove_column,
            segments=shapes.ColumnPath,
            query=shapes.OwnerQuery,
            answer=answers.ColumnRemovedAnswer,
            summary="Remove a column from a table of {type}",
            description="Permanent, with its cells. Its open runs end, and charge nothing more. 400 for a default"
            " column.",
            changes=True,
        ),
        Endpoint(
            name="run_{kind}_table_column",
            method="POST",
            path="/{table_id}/columns/{column_id}/run",
            function=run_column,
            segments=shapes.ColumnPath,
            body=shapes.RunColumn,
            answer=answers.RunAnswer,
            summary="Run a column of a table of {type}",
            description="Accepted at once, whatever credits remain; the cells are filled afterwards and show"
            " `processing` until then. `all` takes every row, `missing` those that are `not_run` or `failed`,"
            " `specific` those of `entityIds`; ids that are no rows are passed over, and so are cells that an open run"
            " has already. Cells that the credits do not suffice for are `failed` with `error` `INSUFFICIENT_CREDITS`."
            " Columns of signals and of the signal score need a plan with signals.",
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
        ),
    ]
