"""Deep merge of nested tables, such as an operator's values over packaged ones."""

from typing import Any


def deep_merge(base: Any, override: Any) -> Any:
    """Return `base` with `override` merged over it, table by table; values other than tables are replaced."""
    if not (isinstance(base, dict) and isinstance(override, dict)):
        return override
    return {**base, **{key: deep_merge(base.get(key), value) for key, value in override.items()}}
