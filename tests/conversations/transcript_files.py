"""Small files of the forms in which programs write transcripts, with what each holds."""

import json

START = "2026-03-31T14:00:00Z"


def _json(**content):
    return json.dumps(content)


FILES = {
    "WebVTT with voices": (
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Jane Doe>Hello there</v>\n\n"
        "2\n00:00:04.500 --> 00:00:06.000\n<v Bob Roe>Hi Jane</v>\n",
        [("Jane Doe", "Hello there", 1.0, 4.0), ("Bob Roe", "Hi Jane", 4.5, 6.0)],
    ),
    "Teams without closing tags": (
        "WEBVTT\n\n0:0:13.540 --> 0:0:15.300\n<v Jane Doe>Can you hear me?\n\n"
        "00:00:16.000 --> 00:00:17.000\n<v Bob Roe>Yes.\n",
        [("Jane Doe", "Can you hear me?", 13.54, 15.3), ("Bob Roe", "Yes.", 16.0, 17.0)],
    ),
    "Teams with ids of cues": (
        "WEBVTT\n\n6a1f3c2e-1/12-0\n00:00:03.000 --> 00:00:05.000\n<v Jane Doe>First part\nsecond line</v>\n",
        [("Jane Doe", "First part second line", 3.0, 5.0)],
    ),
    "Zoom with names before the text": (
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nJane Doe: Good morning\n\n"
        "2\n00:00:03.000 --> 00:00:04.000\nBob Roe: Morning, Jane\n",
        [("Jane Doe", "Good morning", 1.0, 2.0), ("Bob Roe", "Morning, Jane", 3.0, 4.0)],
    ),
    "a byte order mark and CRLF": (
        "\ufeffWEBVTT\r\n\r\n00:00:01.000 --> 00:00:02.000\r\n<v Jane Doe>Hello</v>\r\n",
        [("Jane Doe", "Hello", 1.0, 2.0)],
    ),
    "times without hours": (
        "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Jane Doe>Hello</v>\n",
        [("Jane Doe", "Hello", 1.0, 2.5)],
    ),
    "a comma as the decimal sign of WebVTT": (
        "WEBVTT\n\n00:00:01,000 --> 00:00:02,500\n<v Jane Doe>Hello</v>\n",
        [("Jane Doe", "Hello", 1.0, 2.5)],
    ),
    "entities": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Jane O&#39;Neil>R&amp;D &lt;3 &nbsp;it</v>\n",
        [("Jane O'Neil", "R&D <3 it", 1.0, 2.0)],
    ),
    "two voices in a cue": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Jane Doe>Hello</v>\n<v Bob Roe>Hi</v>\n",
        [("Jane Doe", "Hello", 1.0, 2.0), ("Bob Roe", "Hi", 1.0, 2.0)],
    ),
    "voices with classes, other tags and times within": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Jane Doe><b>Hel</b>lo <00:01.500><c.x>you</c></v>\n",
        [("Jane Doe", "Hello you", 1.0, 2.0)],
    ),
    "settings, notes and styles": (
        "WEBVTT - call\n\nNOTE made by a program\n\nSTYLE\n::cue { color: red }\n\n"
        "00:01.000 --> 00:02.000 align:start position:0%\n<v Jane Doe>Hello</v>\n",
        [("Jane Doe", "Hello", 1.0, 2.0)],
    ),
    "a heading that is no speaker": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n10:30 Meeting: we begin\n\n00:02.000 --> 00:03.000\nlet us start\n",
        [("", "10:30 Meeting: we begin", 1.0, 2.0), ("", "let us start", 2.0, 3.0)],
    ),
    "a single colon in plain text": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nRemember: it ends today\n\n00:02.000 --> 00:03.000\nso be it\n\n"
        "00:03.000 --> 00:04.000\nand more\n",
        [("", "Remember: it ends today", 1.0, 2.0), ("", "so be it", 2.0, 3.0), ("", "and more", 3.0, 4.0)],
    ),
    "names with more than two words": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nDr. Ana de la Cruz (Acme): Hola\n",
        [("Dr. Ana de la Cruz (Acme)", "Hola", 1.0, 2.0)],
    ),
    "a speaker who goes on in the next cue": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nJane Doe: Good\n\n00:02.000 --> 00:03.000\nmorning all\n\n"
        "00:03.000 --> 00:04.000\nJane Doe: Well\n",
        [
            ("Jane Doe", "Good", 1.0, 2.0),
            ("Jane Doe", "morning all", 2.0, 3.0),
            ("Jane Doe", "Well", 3.0, 4.0),
        ],
    ),
    "SRT": (
        "1\n00:00:01,000 --> 00:00:02,500\nJane Doe: Hello\n\n2\n00:00:03,000 --> 00:00:04,000\nBob: Hi\n",
        [("Jane Doe", "Hello", 1.0, 2.5), ("Bob", "Hi", 3.0, 4.0)],
    ),
    "SRT with full stops in times": (
        "1\n00:00:01.000 --> 00:00:02.500\nJANE: Hello\n",
        [("JANE", "Hello", 1.0, 2.5)],
    ),
    "SRT without numbers": (
        "00:00:01,000 --> 00:00:02,000\nHello\n\n00:00:03,000 --> 00:00:04,000\nHi\n",
        [("", "Hello", 1.0, 2.0), ("", "Hi", 3.0, 4.0)],
    ),
    "SRT with two speakers in a cue": (
        "1\n00:00:01,000 --> 00:00:02,000\n- Jane: Hello\n- Bob: Hi\n",
        [("Jane", "Hello", 1.0, 2.0), ("Bob", "Hi", 1.0, 2.0)],
    ),
    "SRT with marks of other programs": (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>Hello</i> <font color='red'>you</font>\n",
        [("", "Hello you", 1.0, 2.0)],
    ),
    "native form": (
        _json(
            sourceId="c-1",
            segments=[
                {"speaker": "Jane Doe", "text": "Hello", "startSeconds": 0, "endSeconds": 1.5},
                {"speaker": "Bob", "text": "Hi", "startSeconds": 2, "endSeconds": 3},
            ],
        ),
        [("Jane Doe", "Hello", 0.0, 1.5), ("Bob", "Hi", 2.0, 3.0)],
    ),
    "native form without times": (
        _json(
            sourceId="c-1",
            durationSeconds=100,
            segments=[{"speaker": "A", "text": "one two three"}, {"speaker": "B", "text": "four"}],
        ),
        [("A", "one two three", 0.0, 75.0), ("B", "four", 75.0, 100.0)],
    ),
    "Gong": (
        _json(
            callTranscripts=[
                {
                    "callId": "7782342274025937895",
                    "transcript": [
                        {
                            "speakerId": "6432345678555530067",
                            "topic": "Objections",
                            "sentences": [
                                {"start": 460230, "end": 462343, "text": "No wait, I think we should check."},
                                {"start": 462343, "end": 463000, "text": "Yes."},
                            ],
                        }
                    ],
                }
            ],
            parties=[
                {"speakerId": "6432345678555530067", "name": "Jane Doe", "emailAddress": "jane@acme.com"}
            ],
        ),
        [
            ("Jane Doe", "No wait, I think we should check.", 460.23, 462.343),
            ("Jane Doe", "Yes.", 462.343, 463.0),
        ],
    ),
    "Gong without names": (
        _json(
            callTranscripts=[
                {
                    "callId": "1",
                    "transcript": [
                        {
                            "speakerId": "6432345678555530067",
                            "sentences": [{"start": 0, "end": 900, "text": "Hi"}],
                        },
                        {
                            "speakerId": "7432345678555530067",
                            "sentences": [{"start": 900, "end": 990, "text": "Yo"}],
                        },
                    ],
                }
            ]
        ),
        [("Speaker 1", "Hi", 0.0, 0.9), ("Speaker 2", "Yo", 0.9, 0.99)],
    ),
    "Fireflies": (
        _json(
            data={
                "transcript": {
                    "id": "ff-1",
                    "title": "Weekly",
                    "duration": 30,
                    "sentences": [
                        {
                            "index": 0,
                            "speaker_name": "Jane Doe",
                            "text": "Hi",
                            "start_time": 0.5,
                            "end_time": 1,
                        },
                        {
                            "index": 1,
                            "speaker_name": None,
                            "speaker_id": 1,
                            "text": "Yo",
                            "start_time": 1,
                            "end_time": 2,
                        },
                    ],
                }
            }
        ),
        [("Jane Doe", "Hi", 0.5, 1.0), ("Speaker 1", "Yo", 1.0, 2.0)],
    ),
    "Deepgram with utterances": (
        _json(
            metadata={"request_id": "dg-1", "duration": 3.5},
            results={
                "channels": [{"alternatives": [{"transcript": "hi yo"}]}],
                "utterances": [
                    {"start": 0.1, "end": 1.0, "transcript": "Hi.", "speaker": 0},
                    {"start": 1.2, "end": 3.0, "transcript": "Yo.", "speaker": 1},
                ],
            },
        ),
        [("Speaker 0", "Hi.", 0.1, 1.0), ("Speaker 1", "Yo.", 1.2, 3.0)],
    ),
    "Deepgram with paragraphs": (
        _json(
            metadata={"request_id": "dg-2"},
            results={
                "channels": [
                    {
                        "alternatives": [
                            {
                                "paragraphs": {
                                    "paragraphs": [
                                        {
                                            "speaker": 0,
                                            "sentences": [{"text": "Hi.", "start": 0.1, "end": 1.0}],
                                        }
                                    ]
                                }
                            }
                        ]
                    }
                ]
            },
        ),
        [("Speaker 0", "Hi.", 0.1, 1.0)],
    ),
    "Whisper": (
        _json(
            text=" Hi. Yo.",
            language="en",
            segments=[
                {"id": 0, "start": 0.0, "end": 1.0, "text": " Hi.", "tokens": [1]},
                {"id": 1, "start": 1.0, "end": 2.0, "text": " Yo.", "tokens": [2]},
            ],
        ),
        [("", "Hi.", 0.0, 1.0), ("", "Yo.", 1.0, 2.0)],
    ),
    "WhisperX": (
        _json(segments=[{"start": 0.0, "end": 1.0, "text": " Hi.", "speaker": "SPEAKER_00", "words": []}]),
        [("SPEAKER_00", "Hi.", 0.0, 1.0)],
    ),
}
"""Content and expected segments by form."""

UNUSABLE = {
    "text that is no transcript": ("Dear all,\nsee you on Monday\n", "it is no transcript"),
    "an empty file": ("", "it is no transcript"),
    "WebVTT without a cue": ("WEBVTT\n\n", "it has no words"),
    "times that run back": (
        "WEBVTT\n\n00:10.000 --> 00:12.000\nHello\n\n00:01.000 --> 00:02.000\nHi\n",
        "its times run back",
    ),
    "a cue that ends before it begins": (
        "1\n00:00:05,000 --> 00:00:02,000\nHello\n",
        "its times run back",
    ),
    "a time that cannot be read": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n\nsoon --> later\nHi\n",
        "1 of 2 cues have times that cannot be read",
    ),
    "20,001 segments": (
        _json(segments=[{"text": "a", "start": n} for n in range(20_001)]),
        "it has 20,001 segments; the most is 20,000",
    ),
    "more than a day": (_json(segments=[{"text": "a", "start": 86_401}]), "it is longer than 24 hours"),
    "segments that end before they begin": (
        _json(segments=[{"text": "a", "start": 5, "end": 1}]),
        "a segment ends before it begins",
    ),
    "JSON of another kind": ('{"people": []}', "it is in no known form of a recorder, and has no segments"),
    "a start that is no time": (
        _json(startedAt="yesterday", segments=[{"text": "a"}]),
        "the start is no date and time, such as 2026-03-31T14:00:00Z",
    ),
}
"""Content and the beginning of the reason by form."""
