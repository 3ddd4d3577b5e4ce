"""Preparation of files in a process of its own.

Reading and writing thus use two cores. The process sends MessagePack through a pipe; a thread buffers a few messages
ahead of the writer. Small files are prepared in this process, because starting another takes longer.
"""

import gc
import queue
import signal
import threading
from collections.abc import Callable, Generator
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from firmograph.directory.identity import Digests
from firmograph.ingest.reading.date_orders import column_date_orders
from firmograph.ingest.reading.mapping import (
    NO_MAPPING,
    ColumnMapping,
    build_object_layout,
    build_table_layout,
    fits_table,
)
from firmograph.ingest.reading.readers import AUTODETECT, ReadOptions, RowFile, open_rows
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.records.file_versions import order_versions
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.prepared_rows import CompanyRows, ContactRows
from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity

BATCH_ROWS = 1000
IN_PROCESS_BYTES = 1_000_000
"""Total size up to which files are prepared without another process."""
_QUEUED_BATCHES = 4
"""Batches buffered for the writer; bounds memory."""


class ImportTask(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one import and how to read them."""

    entity: Entity
    paths: list[str]
    source: str
    keyring: Keyring
    mapping: ColumnMapping = NO_MAPPING
    read_options: list[ReadOptions] = []
    """One per path; empty to detect everything."""
    keeps_rejected: bool = False
    """Whether rejected rows come with their values."""
    complete: bool = False
    """Whether the files are all of the source."""

    def files(self) -> list[tuple[Path, ReadOptions]]:
        paths = [Path(path) for path in self.paths]
        return list(zip(paths, self.read_options or [AUTODETECT] * len(paths), strict=True))


PreparedBatch = ContactRows | CompanyRows


def prepare_files(task: ImportTask) -> Generator[PreparedBatch, None, None]:
    """Yield the prepared rows of all files in batches, in the order of the files and their rows.

    The versions of one contact come in the order of their days. Close the iterator to stop early.

    Raises Refused, with advice, when a file is missing, damaged or of no supported format, or when its header
    identifies no record. Batches yielded before stay valid.
    """
    detected = []
    for path, reading in task.files():
        # open every file first, so that a fault of the last one is reported at once and not after an hour
        with open_rows(path, reading, fits_table(task.mapping, task.entity, path)) as rows:
            _layout(rows, task)
            detected.append(rows.options)
    task = msgspec.structs.replace(task, read_options=detected)
    if sum(Path(path).stat().st_size for path in task.paths) <= IN_PROCESS_BYTES:
        return _prepare_in_process(task)
    return _prepare_in_subprocess(task)


def _prepare_in_process(task: ImportTask) -> Generator[PreparedBatch, None, None]:
    for file, (path, reading) in enumerate(task.files()):
        with open_rows(path, reading) as rows:
            layout = _layout(rows, task)
            preparer = Preparer(
                task.entity,
                Digests(task.keyring),
                task.source,
                layout,
                rows.options,
                keeps_rejected=task.keeps_rejected,
            )
            preparer.count_repaired_header(rows.repaired_header)
            raw_rows = order_versions(path, rows, layout) if task.entity is Entity.CONTACT else iter(rows)
            while batch := list(islice(raw_rows, BATCH_ROWS)):
                if task.entity is Entity.CONTACT:
                    yield ContactRows(
                        file, *preparer.prepare_contacts(batch), rows.bytes_read(), preparer.take_counts()
                    )
                else:
                    yield CompanyRows(
                        file, *preparer.prepare_companies(batch), rows.bytes_read(), preparer.take_counts()
                    )


def _layout(rows: RowFile, task: ImportTask) -> Layout | None:
    if rows.columns is None:
        layout = build_object_layout(task.mapping, task.entity)
        if layout:
            layout.date_orders = column_date_orders(rows)
        return layout
    layout = build_table_layout(rows.columns, task.mapping, task.entity, rows.path)
    layout.date_orders = column_date_orders(rows)
    return layout


# --- the preparing process ---

_ROWS, _REFUSED, _DONE = b"r", b"x", b"d"
_decoders: dict[Entity, Callable[[memoryview], PreparedBatch]] = {
    Entity.CONTACT: msgspec.msgpack.Decoder(ContactRows).decode,
    Entity.COMPANY: msgspec.msgpack.Decoder(CompanyRows).decode,
}


def _prepare_in_subprocess(task: ImportTask) -> Generator[PreparedBatch, None, None]:
    """Start the process and yield the batches it sends."""
    context = get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(
        target=_run_process, args=(msgspec.msgpack.encode(task), sending), name="prepare", daemon=True
    )
    process.start()
    sending.close()
    messages: queue.Queue[bytes] = queue.Queue(_QUEUED_BATCHES)
    stop = threading.Event()
    thread = threading.Thread(
        target=_forward_messages, args=(receiving, messages, stop), name="prepared", daemon=True
    )
    thread.start()
    try:
        while (message := messages.get())[:1] != _DONE:
            if message[:1] == _REFUSED:
                raise Refused(message[1:].decode())
            if not message:
                raise Refused(
                    "The process that prepares rows has died, perhaps for lack of memory; run the import again"
                )
            yield _decoders[task.entity](memoryview(message)[1:])
    finally:
        stop.set()
        process.terminate()
        process.join()
        thread.join()
        receiving.close()


def _forward_messages(receiving: Connection, messages: "queue.Queue[bytes]", stop: threading.Event) -> None:
    """Move messages from the pipe to the queue; an empty one marks a process that died."""
    while not stop.is_set():
        try:
            message = receiving.recv_bytes()
        except (EOFError, OSError):
            message = b""
        while not stop.is_set():
            try:
                messages.put(message, timeout=0.1)
                break
            except queue.Full:
                continue
        if not message or message[:1] != _ROWS:
            return


def _run_process(task: bytes, sending: Connection) -> None:
    """Prepare all rows and send them; the main function of the process."""
    # Ctrl-C reaches both processes; the writing one handles it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # rows form no cycles, and collections over the caches of a long run took an eighth of its time
    gc.set_threshold(50_000, 50, 100)
    encode = msgspec.msgpack.Encoder().encode
    try:
        for rows in _prepare_in_process(msgspec.msgpack.decode(task, type=ImportTask)):
            sending.send_bytes(_ROWS + encode(rows))
    except BrokenPipeError:
        return
    except Refused as error:
        sending.send_bytes(_REFUSED + error.message.encode())
    else:
        sending.send_bytes(_DONE)
