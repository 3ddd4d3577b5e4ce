"""Access log of a real website, its networks replaced, and a made-up table of who owns them.

The log has one site and four days of May 2015. Each of its /24 networks becomes one of 10.0.0.0/8, in the order in
which they come, so that visitors stay apart. Referrers are left out, as nothing reads them.
"""

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Final

from demo_data.files import OpenData

LOG: Final = "visits/apache_access.log.gz"
_LINE: Final = re.compile(r'(\d+\.\d+\.\d+)\.(\d+) (.*" \d{3} \S+) "[^"]*"( ".*"\n)')

_OWNERS: Final = (
    ("Northwind Example Ltd (made up)", "northwind.example.com", "business", "US"),
    ("Contoso Example Inc. (made up)", "contoso.example.com", "business", "US"),
    ("Fabrikam Example GmbH (made up)", "fabrikam.example.org", "business", "DE"),
    ("Northwind Example Robotics LLC (made up)", "robotics.example.com", "business", "US"),
    ("Example Relief Fund (made up)", "example.org", "business", "US"),
    ("Example Provider (made up)", "", "isp", "US"),
    ("Example Hosting (made up)", "", "hosting", "FR"),
)
"""Name, domain, kind and country."""
_NETWORKS: Final = (
    (6, 6), (44, 1), (71, 6), (112, 0), (184, 5), (451, 4),
    (482, 5), (517, 0), (701, 2), (962, 3), (1119, 1), (1364, 4),
)  # fmt: skip
"""Number of a network, and of its owner in `_OWNERS`: networks of which people looked at several pages."""


def visit_log(data: OpenData) -> str:
    """Return the log with other networks."""
    numbers: dict[str, int] = {}
    lines = []
    for line in data.lines(LOG):
        found = _LINE.fullmatch(line)
        if found is None:
            # the one line that is cut off
            continue
        network, host, request, agent = found.groups()
        number = numbers.setdefault(network, len(numbers))
        lines.append(f'10.{number >> 8}.{number & 255}.{host} {request} "-"{agent}')
    return "".join(lines)


def made_up_networks() -> str:
    """Return the table of owners, as `firmograph networks load` takes it."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["network", "name", "domain", "type", "country"])
    table.writerows(
        [f"10.{number >> 8}.{number & 255}.0/24", *_OWNERS[owner]] for number, owner in sorted(_NETWORKS)
    )
    return text.getvalue()


def write_packed(path: Path, text: str) -> None:
    """Write a compressed text without a time."""
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode())
