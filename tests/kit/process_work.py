"""Work of worker processes in tests."""

import errno
import os
import time

from firmograph.kit.worker_process import Report


def add(report: Report, first: int, second: int) -> int:
    report("adding", first)
    report("adding", second)
    return first + second


def nice_value(report: Report) -> int:
    return os.nice(0)


def fail_by_data(report: Report) -> None:
    raise ValueError("ann@example.com")


def fail_by_machine(report: Report) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def die(report: Report) -> None:
    os._exit(9)


def work_forever(report: Report) -> None:
    """Report the process, then work without end."""
    report(os.getpid())
    while True:
        time.sleep(60)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def fail_when_streaming(sending: object) -> None:
    raise ValueError("ann@example.com")
