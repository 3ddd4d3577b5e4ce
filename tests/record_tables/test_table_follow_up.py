"""The write of rows that follows an answer, with a writer made for the tests."""

import msgspec
import pytest
from structlog.testing import capture_logs

from firmograph.caller import ApiKeyCaller, CallKey, Request
from firmograph.kit.errors import (
    BadRequest,
    Busy,
    Forbidden,
    NotFound,
    PaymentRequired,
    Unavailable,
    Unwritable,
)
from firmograph.record_tables.table_write import TableFollowUp, TableWriter
from firmograph.security.record_ids import Entity
from firmograph.table_rows import TableRows, TableWrite, following, requested_rows

pytestmark = pytest.mark.no_database

KEY = CallKey("POST /rows", "k", b"")
DONE = TableWrite(
    table_id="12",
    added=2,
    already_present=0,
    columns_created=0,
    rows_processed=0,
    rows_charged=0,
    rows_already_paid_in_table=0,
    credits_charged=3,
)


class FakeWriter:
    """Writer that charges 3 credits, or raises an error."""

    follow = TableWriter.follow

    def __init__(self, error=None, keeps=True):
        self.error = error
        self.keeps = keeps
        self.written = []
        self.kept = []

    def keep(self, rows, refused):
        if not self.keeps:
            raise Busy
        self.kept.append((rows.request.key, refused))
        return refused

    def write(self, rows, request_id):
        self.written.append((rows, request_id))
        if self.error is not None:
            raise self.error
        return DONE


def rows_of(key=None):
    request = Request("request", ApiKeyCaller(1, None, "names"), 5.0, key)
    return TableRows(request, Entity.CONTACT, "12", numbers=[7, 5])


def written(followed):
    return msgspec.json.decode(b"{%s}" % followed.member)["tableWrite"]


def test_the_answer_has_what_was_written_and_its_price():
    writer = FakeWriter()
    followed = TableFollowUp(writer, rows_of(), "first").run("enrich")
    assert writer.written == [(rows_of(), "first")]
    assert followed.credits == 3
    assert written(followed) == {
        "tableId": "12",
        "added": 2,
        "alreadyPresent": 0,
        "columnsCreated": 0,
        "rowsProcessed": 0,
        "rowsCharged": 0,
        "rowsAlreadyPaidInTable": 0,
        "creditsCharged": 3,
    }


def test_what_is_kept_of_an_earlier_write_is_not_written_again():
    writer = FakeWriter()
    followed = writer.follow(rows_of(KEY), "first", msgspec.json.encode(DONE))
    assert (written(followed)["added"], followed.credits, writer.written) == (2, 3, [])


def test_a_refused_write_is_kept_under_the_key_of_the_call():
    writer = FakeWriter(NotFound("no such table"))
    followed = writer.follow(rows_of(KEY), "first", None).run("enrich")
    ((key, refused),) = writer.kept
    assert key == KEY
    assert refused.error.code == written(followed)["error"]["code"] == "TABLE_NOT_FOUND"


def test_a_refused_write_that_cannot_be_kept_shows_all_the_same():
    followed = TableFollowUp(FakeWriter(Busy(), keeps=False), rows_of(KEY), "first").run("enrich")
    assert written(followed)["error"]["code"] == "BUSY"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (NotFound("no such table"), "TABLE_NOT_FOUND", "no such table"),
        (Forbidden("full", code="TABLE_FULL"), "TABLE_FULL", "full"),
        (Forbidden("not on the plan"), "FORBIDDEN", "not on the plan"),
        (PaymentRequired("too few"), "INSUFFICIENT_CREDITS", "too few"),
        (Busy(), "BUSY", Busy.public),
        (Unavailable(), "BUSY", Unavailable.public),
        (Unwritable(), "BUSY", Unwritable.public),
        (RuntimeError("secret"), "INTERNAL", "Internal server error"),
        (StopIteration("secret"), "INTERNAL", "Internal server error"),
    ],
)
def test_an_error_of_the_write_shows_in_the_answer_alone(error, code, message):
    with capture_logs() as logged:
        followed = TableFollowUp(FakeWriter(error), rows_of(), "first").run("enrich")
    shown = written(followed)
    assert shown.pop("error") == {"code": code, "message": message}
    assert set(shown.values()) == {"12", 0}
    assert followed.credits == 0
    assert [(line["event"], line["request_id"]) for line in logged] == [("table not written", "first")]


def test_a_call_without_a_table_is_followed_by_nothing():
    request = rows_of().request
    assert requested_rows(request, msgspec.UNSET, Entity.CONTACT) is None
    assert following(None, FakeWriter(), lambda rows, content: rows) is None


def test_the_rows_that_follow_are_those_of_the_answer():
    writer = FakeWriter()
    rows = requested_rows(rows_of().request, "12", Entity.CONTACT)
    follow = following(rows, writer, lambda rows, content: rows._replace(numbers=content))
    follow([7, 5], "first", None).run("enrich")
    assert writer.written == [(rows_of(), "first")]


def test_a_table_id_with_a_line_end_is_refused():
    with pytest.raises(BadRequest, match="digits"):
        requested_rows(rows_of().request, "12\n", Entity.CONTACT)
