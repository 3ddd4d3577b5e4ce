"""Permissions of files that hold keys."""

import os
import stat
import sys
from typing import Literal

from firmograph.kit.errors import Refused

FileCheck = Literal["strict", "off"]

_OTHERS = stat.S_IROTH | stat.S_IWOTH
_GROUP = stat.S_IRGRP | stat.S_IWGRP


def check_secret_file(path: str | os.PathLike[str], what: str, check: FileCheck) -> None:
    """Refuse a file that every user of the machine can read or change; warn of one that its group can.

    `off` accepts both, for files that something else protects, such as a secret mounted into a container. A link counts
    as the file that it leads to. Raises OSError for a missing file.
    """
    if check == "off":
        return
    mode = os.stat(path).st_mode
    if mode & _OTHERS:
        raise Refused(
            f"Every user of this machine can read {what} {path}; run chmod 600 on it, and replace the key if others may"
            " have read it (FIRMOGRAPH_KEY_FILE_CHECK=off accepts it)"
        )
    if mode & _GROUP:
        print(f"Warning: the group of {what} {path} can read it; run chmod 600 on it", file=sys.stderr)
