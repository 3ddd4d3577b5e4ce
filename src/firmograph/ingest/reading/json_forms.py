"""Forms in which objects of JSON stand in a file, and a reader of those that are not one object a line.

These are a list, a list inside an object as APIs answer (`{"total": 2, "people": [...]}`), and objects over several
lines or behind record separators, one after the other. They are read object by object, without the memory for the
whole file.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import IO, Final, NamedTuple

import msgspec

from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.reading.lines import MAX_LINE

HEAD_BYTES: Final = 2 * MAX_LINE
"""Bytes that decide the form."""
_BLOCK: Final = 1 << 16
_MAX_BRACES: Final = 100
_MAX_WRAPPERS: Final = 5
_MEMBER: Final = re.compile(rb'\s*[{,]\s*"((?:[^"\\\x00-\x1f]|\\.)*+)"\s*:\s*')
_LIST_OF_LISTS: Final = re.compile(rb"\[\s*\[")
_COLUMN_BY_ROW: Final = re.compile(rb'\{\s*"0"\s*:')
_LIST_OF_OBJECTS: Final = re.compile(rb"\[\s*\{")
_LIST_MEMBER: Final = re.compile(rb'"([^"\\]*)"\s*:\s*\[\s*\{')
_NEXT_OBJECT: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|(\}\s*\{)', re.DOTALL)
_BRACKET: Final = re.compile(rb'"(?:[^"\\]|\\.)*+("?)|[\[\]{}]', re.DOTALL)
_BETWEEN: Final = re.compile(rb"[\s,\x1e\xef\xbb\xbf]*")
_PLAIN: Final = re.compile(rb"[^\s,\]]+")
_RECORD_SEPARATOR: Final = b"\x1e"
"""Stands before each object of a JSON text sequence (RFC 7464)."""
_COMPARED: Final = 2
"""Objects in an object that are compared."""
_AS_CSV: Final = "save it as CSV, or as a list of objects"
_OF_WRAPPERS: Final = frozenset((b"id", b"name", b"description", b"updateDate"))
"""Fields of records that also stand next to a list of records."""
_LIST_NAMES: Final = frozenset(
    b"data results result items records rows list people persons contacts leads users employees companies "
    b"organizations organisations accounts entries elements objects hits docs values value".split()
)
"""Usual names of a list of records."""


class JsonForm(Enum):
    LINES = "JSON Lines"
    LIST = "JSON list"
    WRAPPED = "JSON list in an object"
    OBJECTS = "JSON objects"


class FoundForm(NamedTuple):
    form: JsonForm
    start: int = 0
    """Bytes before the first object or the list's bracket."""
    name: str = ""
    """Path of the list in an object."""
    others: tuple[str, ...] = ()
    """Paths of the lists of objects next to it, which are not read."""


class UnreadForm(ValueError):
    """The reason why the objects of a file cannot be found: several lists of them, or none of these forms."""


class CutOff(ValueError):
    """The reason why nothing after some line can be read."""


def find_json_form(head: bytes) -> FoundForm:
    """Return the form of a file by its first `HEAD_BYTES`.

    Raises UnreadForm if an object holds several lists that may be those of the records, or the records are no objects.
    """
    begin = _skip_between(head, 0)
    if _RECORD_SEPARATOR in head[:begin]:
        return FoundForm(JsonForm.OBJECTS, begin)
    if head.startswith(b"[", begin):
        if _begins_with_lists(head, begin):
            raise UnreadForm(f"its records are lists of values, not objects; {_AS_CSV}")
        return FoundForm(JsonForm.LIST, begin)
    first, _, rest = head[begin:].partition(b"\n")
    is_one_line = _value_end(first, 0) == len(first.rstrip())
    if not head.startswith(b"{", begin) or (is_one_line and rest.strip()):
        return FoundForm(JsonForm.LINES)
    end = _value_end(head, begin)
    is_alone = end < 0 or not head[end:].strip()
    lists = _find_lists(head, begin) if is_alone else {}
    usual = {path: start for path, start in lists.items() if path.rpartition(".")[2].encode() in _LIST_NAMES}
    only_usual = is_one_line or b"\n" not in head[begin:]
    if chosen := usual or ({} if only_usual else lists):
        if len(chosen) > 1:
            raise UnreadForm(
                f"it has several lists: {', '.join(chosen)}; write one of them to a file of its own"
            )
        ((path, start),) = chosen.items()
        return FoundForm(JsonForm.WRAPPED, start, path, tuple(lists.keys() - chosen))
    if is_alone:
        _check_members(head, begin)
    if end > 0 and not is_one_line and _is_json(head[begin:end]):
        return FoundForm(JsonForm.OBJECTS, begin)
    return FoundForm(JsonForm.LINES)


def read_objects(stream: IO[bytes], form: FoundForm) -> Iterator[tuple[int, bytes]]:
    """Yield the objects of lists and between them, each with the line where it begins.

    Raises CutOff where a list or an object has no end, or something follows the object around a list.
    """
    line = 1 + stream.read(form.start).count(b"\n")
    buffer, position, at_end, in_list = b"", 0, False, False
    while True:
        behind = _skip_between(buffer, position)
        line += buffer.count(b"\n", position, behind)
        position = behind
        mark = buffer[position : position + 1]
        if (mark == b"]" and in_list) or (mark == b"[" and not in_list):
            position += 1
            in_list = mark == b"["
            if not in_list and form.form is JsonForm.WRAPPED:
                rest = buffer[position:] + stream.read(HEAD_BYTES)
                if any(found[1] for found in _NEXT_OBJECT.finditer(rest)):
                    raise CutOff(f"another object follows the list that ends at line {line}")
                if not form.others and any(found[1] in _LIST_NAMES for found in _LIST_MEMBER.finditer(rest)):
                    raise CutOff(f"another list of objects follows the one that ends at line {line}")
                return
            continue
        end = _value_end(buffer, position, at_end) if mark else -1
        if end >= 0:
            yield line, buffer[position:end]
            line += buffer.count(b"\n", position, end)
            position = end
        elif not at_end and len(buffer) - position <= MAX_LINE:
            # twice as much each time, because a value is searched from its beginning again
            block = stream.read(max(_BLOCK, len(buffer) - position))
            buffer, position, at_end = buffer[position:] + block, 0, not block
        elif mark:
            raise CutOff(f"the object at line {line} has no end, or is longer than {MAX_LINE:,} bytes")
        elif in_list:
            raise CutOff("its list has no end")
        else:
            return


def _skip_between(text: bytes, position: int) -> int:
    found = _BETWEEN.match(text, position)
    return found.end() if found else position


def _value_end(text: bytes, begin: int, at_end: bool = True) -> int:
    """Return where a value ends; -1 if the text ends before."""
    if (end := _plain_object_end(text, begin)) > 0:
        return end
    if text[begin : begin + 1] not in (b"{", b"[", b'"'):
        plain = _PLAIN.match(text, begin)
        end = plain.end() if plain else begin + 1
        return end if at_end or end < len(text) else -1
    depth = 0
    for found in _BRACKET.finditer(text, begin):
        if found[1] == b"" and found[0][:1] == b'"':
            return -1
        if found[0] in (b"{", b"["):
            depth += 1
        elif found[0] in (b"}", b"]"):
            depth -= 1
        if depth <= 0:
            return found.end()
    return -1


def _plain_object_end(text: bytes, begin: int) -> int:
    """Return where an object without braces in its texts ends; -1 for others. Much faster than looking at each text."""
    end, depth = begin, 0
    for _ in range(_MAX_BRACES):
        brace = text.find(b"}", end)
        if brace < 0:
            break
        depth += text.count(b"{", end, brace) - 1
        end = brace + 1
        if depth <= 0:
            # the beginning of an object is no JSON
            return end if text.startswith(b"{", begin) and _is_json(text[begin:end]) else -1
    return -1


def _find_lists(head: bytes, begin: int, prefix: str = "") -> dict[str, int]:
    """Return where the lists of objects in an object begin, by their paths; none behind a field of a record."""
    found: dict[str, int] = {}
    for key, position, _ in _members(head, begin):
        if key not in _OF_WRAPPERS and _is_field(key):
            break
        path = prefix + key.decode(errors="replace")
        if _LIST_OF_OBJECTS.match(head, position):
            found[path] = position
        elif head.startswith(b"{", position) and path.count(".") < _MAX_WRAPPERS:
            found |= _find_lists(head, position, f"{path}.")
    return found


def _begins_with_lists(head: bytes, begin: int) -> bool:
    """Return whether a list holds lists, or lists of plain values follow one another."""
    if _LIST_OF_LISTS.match(head, begin):
        return True
    behind = _skip_between(head, max(_value_end(head, begin), begin))
    return behind > begin and head.startswith(b"[", behind) and b"{" not in head[begin:behind]


def _check_members(head: bytes, begin: int) -> None:
    """Raise UnreadForm if the values of an object are those of a table's columns, or all of them are records."""
    objects: list[dict[str, object]] = []
    is_keyed = True
    for key, start, end in _members(head, begin):
        if _LIST_OF_LISTS.match(head, start):
            raise UnreadForm(
                f"its list {key.decode(errors='replace')!r} holds lists of values, not objects; {_AS_CSV}"
            )
        if _COLUMN_BY_ROW.match(head, start):
            raise UnreadForm(
                f"it has an object for each column, with the rows by number, not one for each row; {_AS_CSV}"
            )
        if _is_field(key):
            return
        is_keyed = is_keyed and head.startswith(b"{", start) and end > 0 and _is_json(head[start:end])
        if is_keyed:
            objects.append(msgspec.json.decode(head[start:end]))
        if is_keyed and len(objects) == _COMPARED and _are_alike(*objects):
            raise UnreadForm(
                "it is one object whose keys are those of its records, such as ids; write the records alone: "
                "jq -c 'to_entries[] | {sourceId: .key} + .value'"
            )


def _are_alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Return whether two objects share most of their keys, as two records do and a person and an employer do not."""
    return len(one.keys() & other.keys()) * 2 > len(one.keys() | other.keys())


def _members(head: bytes, begin: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the members of an object: the key, and where the value begins and ends, -1 for one that is cut off."""
    position = begin
    while position >= 0 and (member := _MEMBER.match(head, position)):
        position = _value_end(head, member.end())
        yield member[1], member.end(), position


def _is_field(key: bytes) -> bool:
    name = key.decode(errors="replace")
    return "." not in name and any(field_kind(row, name) for row in (ContactInput, CompanyInput))


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return False
    return True
