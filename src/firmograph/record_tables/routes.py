"""Endpoints of tables: create, list, status, change, delete."""

from firmograph.api.charged_answers import charge
from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.api.envelope import Billing
from firmograph.kit.errors import Conflict
from firmograph.record_tables import answers, shapes
from firmograph.record_tables.common_routes import EXAMPLE_OWNER, table_endpoints
from firmograph.record_tables.creation import TableCreation
from firmograph.record_tables.service import Tables
from firmograph.security.record_ids import Entity

_HIDDEN = (
    " 404 for every table that is not there for the user: unknown, deleted, of the other kind, of another account, or"
    " private and of another user."
)


def routes(tables: Tables, creation: TableCreation) -> list[Endpoint]:
    return [one for entity in Entity for one in table_endpoints(entity, _routes(tables, creation, entity))]


def _render(content: answers.TableStatus, request_id: str, credits: int) -> answers.TableStatusAnswer:
    return answers.TableStatusAnswer(request_id=request_id, data=content, billing=Billing(credits, 1))


def _routes(tables: Tables, creation: TableCreation, entity: Entity) -> list[Endpoint]:
    def create_table(call: Call[shapes.CreateTable]) -> Deferred:
        return charge(lambda: creation.create(call.request, call.body, entity), _render)

    def list_tables(call: Call[shapes.ListTables]) -> Deferred:
        def read() -> answers.TableListAnswer:
            body = call.body
            page = tables.list_tables(call.request, body, entity)
            return answers.TableListAnswer(
                request_id=call.request_id,
                data=page.tables,
                pagination=answers.TablePagination(body.page, body.size, page.total),
                billing=Billing(0, len(page.tables)),
            )

        return Deferred(read, writes=False)

    def get_table(call: Call[None]) -> Deferred:
        def read() -> answers.TableStatusAnswer:
            status = tables.get_status(call.request, entity, call.segments.table_id, call.query.email)
            return _render(status, call.request_id, 0)

        return Deferred(read, writes=False)

    def update_table(call: Call[shapes.ChangeTable]) -> Deferred:
        return charge(lambda: tables.change(call.request, call.body, entity, call.segments.table_id), _render)

    def delete_table(call: Call[None]) -> Deferred:
        table_id, email = call.segments.table_id, call.query.email

        def render(content: None, request_id: str, credits: int) -> answers.TableDeletedAnswer:
            return answers.TableDeletedAnswer(
                request_id=request_id, table_id=table_id, status="deleted", billing=Billing(0, 0)
            )

        return charge(lambda: tables.delete(call.request, entity, table_id, email), render)

    return [
        Endpoint(
            name="create_{kind}_table",
            method="POST",
            path="",
            function=create_table,
            body=shapes.CreateTable,
            answer=answers.TableStatusAnswer,
            status=201,
            summary="Create a table of {type}",
            description="The table belongs to the user of `owner.email`; a `shared` one is also seen, filled and run by"
            " the account's other users. With `ids` it has its first rows; those that are no row are listed in"
            " `invalidIds`. Companies cost what adding them costs, and if the credits do not suffice there is no table."
            " 409 `TABLE_NAME_CONFLICT` if the owner has a table of this kind and name, letter case aside. An account"
            " has at most 500 tables, archived ones included: 403.",
            charges=True,
            errors=[Conflict],
            examples={
                "empty": {"name": "Prospects", "owner": EXAMPLE_OWNER},
                "shared": {
                    "name": "Autumn fair",
                    "owner": EXAMPLE_OWNER,
                    "visibility": "shared",
                    "ids": ["v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "4503599627370497"],
                },
            },
        ),
        Endpoint(
            name="list_{kind}_tables",
            method="POST",
            path="/list",
            function=list_tables,
            body=shapes.ListTables,
            answer=answers.TableListAnswer,
            summary="List tables of {type}",
            description="The tables of the user and the shared ones of the account, newest first. Archived ones are"
            " listed with `status` `archived` only. `name` is a part of the name, letter case aside.",
            examples={
                "first page": {"owner": EXAMPLE_OWNER},
                "archived": {"owner": EXAMPLE_OWNER, "status": "archived", "name": "fair"},
            },
        ),
        Endpoint(
            name="get_{kind}_table",
            method="GET",
            path="/{table_id}",
            function=get_table,
            segments=shapes.TablePath,
            query=shapes.OwnerQuery,
            answer=answers.TableStatusAnswer,
            summary="Get the status of a table of {type}",
            description="The table and its columns with their counts of cells by status. `isProcessing` is true while a"
            " run is open." + _HIDDEN,
        ),
        Endpoint(
            name="update_{kind}_table",
            method="PATCH",
            path="/{table_id}",
            function=update_table,
            segments=shapes.TablePath,
            body=shapes.ChangeTable,
            answer=answers.TableStatusAnswer,
            summary="Rename, share or archive a table of {type}",
            description="Omitted properties keep their values; the owner stays the same. With `owner` alone"
            " nothing changes, for every user who sees the table. 403 for a shared table of another user, 409"
            " `TABLE_NAME_CONFLICT` for a name that another table of the owner and kind has." + _HIDDEN,
            changes=True,
            errors=[Conflict],
            examples={
                "share": {"owner": EXAMPLE_OWNER, "visibility": "shared"},
                "rename and archive": {
                    "owner": EXAMPLE_OWNER,
                    "name": "Autumn fair 2025",
                    "archived": True,
                },
            },
        ),
        Endpoint(
            name="delete_{kind}_table",
            method="DELETE",
            path="/{table_id}",
            function=delete_table,
            segments=shapes.TablePath,
            query=shapes.OwnerQuery,
            answer=answers.TableDeletedAnswer,
            summary="Delete a table of {type}",
            description="Permanent. Its open runs end, and charge nothing more; its name is free at once. 403 for a"
            " shared table of another user." + _HIDDEN,
            changes=True,
        ),
    ]
