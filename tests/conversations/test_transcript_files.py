"""Forms in which programs write transcripts, and files that are none."""

import json
from datetime import UTC, datetime

import pytest
from transcript_files import FILES, START, UNUSABLE

from firmograph.conversations.reading.files import ReadingOptions, read_file
from firmograph.conversations.reading.metadata import Metadata
from firmograph.conversations.transcript import Participant
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

WITH_START = ReadingOptions(Metadata(started_at=datetime.fromisoformat(START)))


@pytest.fixture
def write(tmp_path):
    def write(content, name="call.vtt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def read_one(path, options=WITH_START):
    (found,) = read_file(path, options)
    return found


@pytest.mark.parametrize("form", FILES)
def test_a_form_is_read(form, write):
    content, expected = FILES[form]
    found = read_one(write(content))
    assert [
        (one.speaker, one.text, one.start_seconds, one.end_seconds) for one in found.transcript.segments
    ] == expected


@pytest.mark.parametrize("form", UNUSABLE)
def test_an_unusable_file_says_why(form, write):
    content, reason = UNUSABLE[form]
    options = ReadingOptions() if "startedAt" in content else WITH_START
    assert read_one(write(content), options).reason.startswith(reason)


def test_a_file_of_more_than_8_mib_is_unusable(write):
    assert read_one(write("WEBVTT\n\n" + "x" * (8 << 20))).reason == "it is larger than 8 MiB"


def test_a_conversation_without_a_date_is_unusable(write):
    assert read_one(write(FILES["SRT"][0]), ReadingOptions()).reason.startswith("it has no date")


def test_captions_in_another_encoding_are_read(write):
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Zoë Müller>Die Größe für später, über München</v>\n"
    (segment,) = read_one(write(text.encode("utf-16"))).transcript.segments
    assert segment.speaker == "Zoë Müller"
    (named,) = read_file(write(text.encode("windows-1252")), WITH_START._replace(encoding="cp1252"))
    assert named.transcript.segments[0].speaker == "Zoë Müller"


def test_lines_of_json_are_one_conversation_each_and_bad_ones_are_named(write):
    native = {"startedAt": START, "segments": [{"text": "hi"}]}
    lines = [
        json.dumps({**native, "sourceId": "a"}),
        "{broken",
        json.dumps({**native, "sourceId": "b"}),
        json.dumps(native),
    ]
    found = list(read_file(write("\n".join(lines)), ReadingOptions()))
    assert [(one.line, one.source_id) for one in found] == [(1, "a"), (2, ""), (3, "b"), (4, "")]
    assert found[1].reason == "the line is no JSON object"
    assert found[3].reason == "it has no sourceId, which a file of several conversations needs"


def test_metadata_of_options_are_refused_for_several_conversations(write):
    line = json.dumps({"sourceId": "a", "segments": [{"text": "hi"}]})
    with pytest.raises(Refused, match="holds several conversations"):
        list(read_file(write(f"{line}\n{line}\n"), WITH_START))


def test_a_sidecar_gives_metadata_and_options_win(write):
    path = write(FILES["SRT"][0], "demo.srt")
    sidecar = {
        "sourceId": "z-9",
        "title": "Demo of Acme",
        "startedAt": "2026-01-02",
        "participants": ["Jane Doe <jane@acme.com>", {"name": "Bob Roe", "email": "BOB@gmail.com"}],
        "company": {"name": "Acme", "domain": "https://www.acme.com/"},
    }
    write(json.dumps(sidecar), "demo.srt.meta.json")
    found = read_one(path, ReadingOptions(Metadata(title="Another title")))
    assert found.source_id == "z-9"
    transcript = found.transcript
    assert (transcript.title, transcript.company_name, transcript.company_domain) == (
        "Another title",
        "Acme",
        "acme.com",
    )
    assert transcript.started_at == datetime(2026, 1, 2, tzinfo=UTC)
    assert transcript.participants == (
        Participant("Jane Doe", "jane@acme.com", "acme.com"),
        Participant("Bob Roe", "bob@gmail.com"),
    )


def test_the_name_of_the_file_stands_for_id_and_title(write):
    found = read_one(write(FILES["SRT"][0], "Acme demo.srt"))
    assert (found.source_id, found.transcript.title) == ("Acme demo.srt", "Acme demo")


def test_times_that_are_missing_are_spread_at_150_words_a_minute(write):
    content = json.dumps({"segments": [{"text": "one two three four five"}, {"text": "six"}]})
    transcript = read_one(write(content)).transcript
    assert transcript.times_estimated
    assert [one.start_seconds for one in transcript.segments] == [0.0, 2.0]
    assert transcript.duration_seconds == 2


def test_redaction_masks_cards_addresses_and_telephone_numbers(write):
    said = "My card 4111 1111 1111 1111, mail jane@acme.com or call +44 20 7946 0958 on 2026-03-31, order 12345678"
    content = json.dumps({"segments": [{"text": said}]})
    (segment,) = read_one(write(content), WITH_START._replace(redacts=True)).transcript.segments
    assert segment.text == ("My card [card], mail [email] or call [phone] on 2026-03-31, order 12345678")


def test_a_compressed_file_is_read(write):
    import gzip

    assert read_one(write(gzip.compress(FILES["SRT"][0].encode()), "call.srt.gz")).transcript.segments
