"""Where the steps of charged calls run, and the responses that they become."""

from typing import NamedTuple

import msgspec
import pytest

from firmograph.api.charged_answers import as_it_is, charge, charged_response, respond
from firmograph.api.endpoint import ChargedResponse, Deferred, FirstAnswer
from firmograph.billing.charged_call import Charged
from firmograph.follow_up import Followed

pytestmark = pytest.mark.no_database


class Call(NamedTuple):
    """Call whose reading may find nothing to pay."""

    may_read: bool = True
    is_short: bool = False
    found: bool = True

    def read(self):
        return Charged("read", 0, "id") if self.found else None

    def charge(self):
        return Charged("charged", 3, "id")


def render(content, request_id, credits):
    return f"{content} {request_id} {credits}".encode()


def test_a_short_reading_is_answered_at_once():
    assert respond(Call(is_short=True), render) == ChargedResponse(b"read id 0", 0)


def test_a_long_reading_runs_in_a_thread_of_readers():
    deferred = respond(Call(), render)
    assert isinstance(deferred, Deferred)
    assert not deferred.writes
    assert deferred.run() == ChargedResponse(b"read id 0", 0)


@pytest.mark.parametrize("is_short", [True, False])
def test_a_reading_that_finds_something_to_pay_is_charged_in_a_thread_of_writers(is_short):
    deferred = respond(Call(is_short=is_short, found=False), render)
    if not is_short:
        deferred = deferred.run()
    assert deferred.writes
    assert deferred.run() == ChargedResponse(b"charged id 3", 3)


def test_a_call_that_may_not_be_read_is_charged_in_a_thread_of_writers():
    for deferred in (respond(Call(may_read=False), render), charge(Call().charge, render)):
        assert deferred.writes
        assert deferred.run() == ChargedResponse(b"charged id 3", 3)


def test_a_replay_charges_nothing_and_names_the_first_answer():
    response = charged_response(Charged("again", 3, "first", True), render)
    assert response == ChargedResponse(b"again first 3", 0, None, FirstAnswer("first", 3))


def test_what_follows_gets_the_content_and_what_is_kept_of_it():
    followed = Followed(b'"more":1', 2)
    given = []

    def follow(*arguments):
        given.append(arguments)
        return followed

    response = charged_response(Charged("again", 3, "first", True, b"kept"), render, follow)
    assert given == [("again", "first", b"kept")]
    assert response.follow_up is followed


def test_a_struct_is_rendered_as_json():
    class Answer(msgspec.Struct):
        size: float

    assert charged_response(Charged(Answer(2.0), 0, "id"), as_it_is).body == b'{"size":2}'
