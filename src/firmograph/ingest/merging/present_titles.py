"""Rows of contacts with the titles' departments and seniority as this release derives them."""

import msgspec

from firmograph.directory.records import Contact
from firmograph.directory.titles.former import with_present_title, with_present_titles
from firmograph.ingest.merging.source_history import Row, history_of

_decode = msgspec.json.Decoder(Contact).decode
_encode = msgspec.json.Encoder().encode


def renew_titles(row: Row) -> Row:
    """Return a row with today's derivation where the former one made a value; itself if they are equal."""
    if row.row is not None:
        record = _decode(row.row)
        renewed = with_present_titles(record)
        if renewed is not record:
            row = row._replace(row=_encode(renewed))
    if row.history is None:
        return row
    history = history_of(row)
    jobs = [msgspec.structs.replace(former, job=with_present_title(former.job)) for former in history.jobs]
    if jobs == history.jobs:
        return row
    return row._replace(history=_encode(msgspec.structs.replace(history, jobs=jobs)))
