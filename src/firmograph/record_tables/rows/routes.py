"""Endpoints of the rows of a table: add, remove, read."""

from functools import partial
from typing import Any, Final

from firmograph.api.charged_answers import charge, respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import Billing
from firmograph.kit.errors import Conflict
from firmograph.record_tables import answers, shapes
from firmograph.record_tables.common_routes import EXAMPLE_OWNER, table_endpoints
from firmograph.record_tables.rows.calls import AddedToTable, RemovedFromTable, RowCalls
from firmograph.record_tables.rows.reading import RowPage
from firmograph.security.record_ids import Entity

_PATH: Final = "/{table_id}/entities"
_IDS: Final = ["v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "4503599627370497"]
_ADDITION: Final[dict[Entity, Any]] = {
    Entity.CONTACT: shapes.AddContacts,
    Entity.COMPANY: shapes.AddCompanies,
}
_PAGE: Final[dict[Entity, Any]] = {
    Entity.CONTACT: answers.ContactRowsAnswer,
    Entity.COMPANY: answers.CompanyRowsAnswer,
}
_PRICE: Final = {
    Entity.CONTACT: " Free.",
    Entity.COMPANY: " A company that is added costs `revealCompany`, unless the account has paid for it or only its"
    " name and domain are known; if the credits do not suffice the call is 402 and nothing is added.",
}


def row_routes(rows: RowCalls) -> list[Endpoint]:
    return [one for entity in Entity for one in table_endpoints(entity, _routes(rows, entity))]


def _render_page(query: shapes.RowsQuery, page: RowPage, request_id: str, credits: int) -> bytes:
    return (
        b'{"requestId":"%b","data":[%b],"pagination":{"page":%d,"size":%d,"total":%d},'
        b'"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
        % (
            request_id.encode(),
            b",".join(page.rows),
            query.page,
            query.size,
            page.total,
            credits,
            len(page.rows),
        )
    )


def _render_added(content: AddedToTable, request_id: str, credits: int) -> answers.RowsAddedAnswer:
    added, present, invalid_ids = content
    return answers.RowsAddedAnswer(
        request_id=request_id,
        data=answers.AddedRows(
            added=added,
            already_present=present,
            invalid_ids=list(invalid_ids),
            added_by=answers.AddedBy("api"),
        ),
        billing=Billing(credits, added + present),
    )


def _render_removed(content: RemovedFromTable, request_id: str, credits: int) -> answers.RowsRemovedAnswer:
    return answers.RowsRemovedAnswer(
        request_id=request_id,
        data=answers.RemovedRows(removed=content.removed, invalid_ids=list(content.invalid_ids)),
        billing=Billing(credits, content.removed),
    )


def _routes(rows: RowCalls, entity: Entity) -> list[Endpoint]:
    def get_rows(call: Call[None]) -> ChargedResponse | Deferred:
        query = call.query
        ready = rows.read(call.request, entity, call.segments.table_id, query)
        return respond(ready, partial(_render_page, query))

    def add_rows(call: Call[Any]) -> Deferred:
        return charge(
            lambda: rows.add(call.request, call.body, entity, call.segments.table_id), _render_added
        )

    def remove_rows(call: Call[shapes.RemoveRows]) -> Deferred:
        return charge(
            lambda: rows.remove(call.request, call.body, entity, call.segments.table_id), _render_removed
        )

    return [
        Endpoint(
            name="get_{kind}_table_rows",
            method="GET",
            path=_PATH,
            function=get_rows,
            segments=shapes.TablePath,
            query=shapes.RowsQuery,
            answer=_PAGE[entity],
            summary="Read rows of a table of {type}",
            description="One page of rows in the order of adding, each with the free preview of its record as it is now"
            " and a cell for every column. Cells hold what was known of the record when the column ran. `value` is null"
            " where there is none; a cell that a run has yet to fill is `processing` and keeps the value of before, and"
            " so does one that `failed`, with `error`. Charged for each started 25 rows of a call. A repetition with"
            " the same `Idempotency-Key` shows the rows of the first answer that are still there, as they are now.",
            charges=True,
            errors=[Conflict],
        ),
        Endpoint(
            name="add_{kind}_table_rows",
            method="POST",
            path=_PATH,
            function=add_rows,
            segments=shapes.TablePath,
            body=_ADDITION[entity],
            answer=answers.RowsAddedAnswer,
            summary="Add rows to a table of {type}",
            description="Adds 1 to 500 {type} at the end and fills their default columns; no other column is run. The"
            " different ids sent are `added`, `alreadyPresent`, or in `invalidIds`: unknown, suppressed, or of the"
            " other kind. A second id of the same record counts as already present. 403 if the table would have more"
            " than 50,000 rows, and nothing is added." + _PRICE[entity],
            charges=True,
            errors=[Conflict],
            examples={"two": {"entityIds": _IDS, "owner": EXAMPLE_OWNER}},
        ),
        Endpoint(
            name="remove_{kind}_table_rows",
            method="DELETE",
            path=_PATH,
            function=remove_rows,
            segments=shapes.TablePath,
            body=shapes.RemoveRows,
            answer=answers.RowsRemovedAnswer,
            summary="Remove rows from a table of {type}",
            description="Removes 1 to 500 {type} with their cells; those that are no row are passed over. Ids that"
            " stand for none of the {type} are returned in `invalidIds`. What open runs have yet to fill of the rows is"
            " not charged. Rows far apart in a wide table are removed in steps; after a 503, repeat the call.",
            changes=True,
            examples={"two": {"entityIds": _IDS, "owner": EXAMPLE_OWNER}},
        ),
    ]
