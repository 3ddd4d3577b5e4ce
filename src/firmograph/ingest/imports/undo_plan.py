"""Which imports an undo takes back, and why it cannot."""

import shlex
from collections.abc import Iterable, Mapping
from typing import Final

from pyroaring import BitMap

from firmograph.database.connection import Session
from firmograph.ingest.imports import store
from firmograph.ingest.imports.runs import AlreadyTaken, check_source_stays, find_import
from firmograph.ingest.imports.types import RECORD_KINDS, RecordRole, StoredImport
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

_NAMED: Final = 20
"""Numbers of imports in a message."""


def met_records(session: Session, number: int) -> dict[Entity, BitMap]:
    """Return the records that the rows of an import were of, new ones included."""
    sets, _ = store.select_records(session, number)
    return {
        entity: sets.get((entity, RecordRole.MET), BitMap())
        | sets.get((entity, RecordRole.CREATED), BitMap())
        for entity in Entity
    }


def plan_undo(session: Session, number: int, now: float, *, and_later: bool) -> list[StoredImport]:
    """Return the imports to take back, newest first: with `and_later` also those that met the same records since.

    Raises Refused if the import cannot be taken back, or without `and_later` if others met its records since.
    """
    wanted = find_import(session, number)
    check_source_stays(session, wanted.source)
    of_source = store.select_imports(session, wanted.source)
    _check(wanted, of_source, now)
    later = _find_later(session, wanted, of_source)
    begun = [each for each in later if each.state == "undoing"]
    if len(begun) < len(later) and not and_later:
        raise Refused(
            f"Import {number} cannot be taken back alone: later imports of {wanted.source!r} met the same records"
            f" ({_numbers(later)}). To take them back too, newest first: firmograph import undo {number} --and-later"
        )
    for each in later:
        _check(each, of_source, now)
    return sorted([wanted, *later], key=_order, reverse=True)


def _check(wanted: StoredImport, of_source: Iterable[StoredImport], now: float) -> None:
    """Raise Refused if an import cannot be taken back now, whatever came later."""
    number = wanted.id
    if wanted.kind == "conversations":
        raise Refused(
            f"Import {number} is of conversations, which are not taken back: delete them with"
            " `firmograph conversations delete`, or import the corrected file"
        )
    if wanted.kind == "visits":
        raise Refused(
            f"Import {number} is of website visits, which are not taken back: `firmograph visits untrack` deletes all"
            " of a domain, and what is imported twice counts once"
        )
    if wanted.kind not in RECORD_KINDS:
        raise Refused(
            f"Import {number} is of {wanted.kind}, which are not taken back: import the corrected file. To remove"
            f" all that the source {wanted.source!r} stated, records included, see first what that is:"
            f" firmograph source remove {shlex.quote(wanted.source)} --dry-run"
        )
    if wanted.state == "undone":
        raise AlreadyTaken(f"Import {number} has been taken back already, by an undo or with its source")
    for each in of_source:
        if each.kind in RECORD_KINDS and each.state_at(now) == "running":
            raise Refused(
                f"Import {each.id} of the source {each.source!r} is running; wait for its end. If it was killed, it"
                " counts as interrupted after a minute"
            )
    if not wanted.kept:
        raise Refused(
            f"Import {number} cannot be taken back any more: what it replaced is kept for the days of"
            " FIRMOGRAPH_IMPORT_UNDO_DAYS alone"
        )


def _find_later(
    session: Session, wanted: StoredImport, of_source: Iterable[StoredImport]
) -> list[StoredImport]:
    """Return the imports after one that met its records, or those of another one that is returned."""
    met: dict[int, Mapping[Entity, BitMap]] = {wanted.id: met_records(session, wanted.id)}
    candidates = {
        each.id: each
        for each in of_source
        if each.kind in RECORD_KINDS and each.state != "undone" and each.id != wanted.id
    }
    found: dict[int, StoredImport] = {}
    waiting = [wanted]
    while waiting:
        one = waiting.pop()
        for each in candidates.values():
            if each.id in found or not _is_later(each, one):
                continue
            if each.id not in met:
                met[each.id] = met_records(session, each.id)
            if any(met[each.id][entity].intersect(met[one.id][entity]) for entity in Entity):
                found[each.id] = each
                waiting.append(each)
    return list(found.values())


def _is_later(each: StoredImport, than: StoredImport) -> bool:
    """Return whether an import began after another one, or went on after that began."""
    return each.id > than.id or each.last_at > than.started_at


def _order(each: StoredImport) -> tuple[float, int]:
    return each.last_at, each.id


def _numbers(imports: Iterable[StoredImport]) -> str:
    numbers = sorted(each.id for each in imports)
    more = ", ..." if len(numbers) > _NAMED else ""
    return ", ".join(map(str, numbers[:_NAMED])) + more
