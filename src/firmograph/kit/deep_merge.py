"""Tables of TOML over one another: the packaged values, and the operator's in their place."""

from typing import Any


def laid_over(base: Any, over: Any) -> Any:
    """`over` laid over `base`, table by table; anything but two tables is replaced whole."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return {**base, **{key: laid_over(base.get(key), value) for key, value in over.items()}}
