"""Reading of TOML files written by operators."""

import tomllib
from pathlib import Path
from typing import Any

from firmograph.kit.errors import Refused


def read_toml_file(path: str | Path, name: str) -> dict[str, Any]:
    """Read a TOML file, called `name` in messages. Raises Refused if it cannot be read or is not TOML."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise Refused(f"The {name} {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(f"The {name} {path} is not TOML: {error}") from error
