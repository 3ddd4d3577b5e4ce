"""The model at an endpoint: what is believed of its answers, and endpoints that misbehave."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from analyses import count_segments

from conversation_factory import transcript
from firmograph.conversations.analysis.analyser import AnalysisInput
from firmograph.conversations.analysis.model import open_model
from firmograph.settings import Settings

pytestmark = pytest.mark.no_database

GIVEN = AnalysisInput(
    transcript(
        ("Jane Doe", "The price of 900 dollars is too high for us, honestly."),
        ("Bob Roe", "We can offer a discount of ten percent. I will send the contract on Friday."),
        ("Jane Doe", "Initech offers the same for less."),
    )
)
ITEM = {"text": "Send the contract", "segment": 1, "quote": "I will send the contract", "owner": "Bob Roe"}


def improve(answers, given=GIVEN, tokens=1_000_000, seconds=5.0):
    """Return the analysis by an endpoint that gives these answers in turn, and the requests that it got.

    An answer is a status, a status with a text, or an object of findings.
    """
    requests = []

    async def answer(request):
        requests.append((request.headers.get("authorization"), await request.json()))
        given_answer = answers[min(len(requests), len(answers)) - 1]
        if given_answer == "hang":
            await asyncio.sleep(30)
        if isinstance(given_answer, int):
            return web.Response(status=given_answer)
        text = given_answer if isinstance(given_answer, str) else json.dumps(given_answer)
        completion = {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 77}}
        return web.json_response(completion)

    @asynccontextmanager
    async def served():
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1"
        await runner.cleanup()

    async def ask(key_file):
        async with served() as url:
            settings = Settings(model_url=url, model_name="m", model_key_file=key_file)
            async with open_model(settings) as analyser:
                analyser._pauses = (0, 0)
                analyser._seconds = seconds
                return await analyser.improve(given, count_segments(given), tokens)

    improve.key_file = getattr(improve, "key_file", "")
    return asyncio.run(ask(improve.key_file)), requests


def test_quoted_findings_are_kept_with_what_the_transcript_supports():
    objection = {
        "text": "The price is too high",
        "segment": 0,
        "quote": "price of 900 dollars is too high",
        "severity": "high",
        "response": "We can offer a discount of ten percent.",
    }
    competitor = {"name": "Initech", "segment": 2, "quote": "Initech offers the same"}
    analysis, requests = improve(
        [
            {
                "summary": "They spoke about 900 dollars. Globex paid 5000 dollars. It ended well.",
                "topics": ["discount", "weather"],
                "actionItems": [{**ITEM, "dueDate": "2026-04-03"}],
                "objections": [objection],
                "competitors": [competitor],
            }
        ]
    )
    found = analysis.findings
    assert (analysis.analyser, analysis.tokens) == ("model", 77)
    assert found.summary == "They spoke about 900 dollars. It ended well."
    assert found.topics == ("discount",)
    (item,), (objected,), (rival,) = found.action_items, found.objections, found.competitors
    assert (item.owner, item.due_date.isoformat(), item.segment) == ("Bob Roe", "2026-04-03", 1)
    assert (objected.severity, objected.response) == ("high", "We can offer a discount of ten percent.")
    assert rival.name == "Initech"
    assert found.chapters == count_segments(GIVEN).chapters
    assert requests[0][1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "changed",
    [
        {"quote": "I will never send it"},
        {"quote": "send"},
        {"quote": ""},
        {"segment": 0},
        {"segment": 9},
        {"segment": -1},
        {"text": "Send the contract to Umbrella"},
        {"text": "Send 12 contracts"},
    ],
)
def test_what_was_never_said_is_dropped(changed):
    analysis, _ = improve([{"actionItems": [{**ITEM, **changed}]}])
    assert analysis.findings.action_items == ()


def test_an_owner_or_a_date_that_does_not_fit_is_left_out():
    (item,) = improve([{"actionItems": [{**ITEM, "owner": "Eve", "dueDate": "2020-01-01"}]}])[
        0
    ].findings.action_items
    assert (item.owner, item.due_date) == (None, None)


def test_a_refused_schema_is_followed_by_plain_json():
    analysis, requests = improve([400, {"actionItems": [ITEM]}])
    assert analysis.analyser == "model"
    assert [body["response_format"]["type"] for _, body in requests] == ["json_schema", "json_object"]


def test_json_between_other_words_is_read():
    analysis, _ = improve([f"Here it is:\n```json\n{json.dumps({'actionItems': [ITEM]})}\n```"])
    assert len(analysis.findings.action_items) == 1


@pytest.mark.parametrize(
    ("answers", "tries"),
    [
        ([500], 3),
        ([429, 503, 500], 3),
        ([401], 1),
        ([302], 1),
        ([400], 2),
        (["garbage"], 1),
        (['{"actionItems": 7}'], 1),
        (["x" * (2 << 20)], 3),
    ],
)
def test_an_endpoint_that_fails_leaves_the_local_result(answers, tries):
    analysis, requests = improve(answers)
    assert analysis.analyser == "local"
    assert analysis.findings == count_segments(GIVEN)
    assert len(requests) == tries


def test_an_endpoint_that_hangs_leaves_the_local_result():
    analysis, requests = improve(["hang"], seconds=0.05)
    assert (analysis.analyser, len(requests)) == ("local", 3)


def test_a_failure_passes_with_another_try():
    assert improve([500, {"actionItems": [ITEM]}])[0].analyser == "model"


def test_too_few_tokens_ask_nobody():
    analysis, requests = improve([{}], tokens=100)
    assert (analysis.analyser, requests) == ("local", [])


def test_the_key_is_read_from_its_file(tmp_path, monkeypatch):
    (tmp_path / "key").write_text("secret\n")
    monkeypatch.setattr(improve, "key_file", str(tmp_path / "key"), raising=False)
    _, requests = improve([{}])
    assert requests[0][0] == "Bearer secret"
