"""Detection of foreign triggers, functions, views and rules.

Foreign objects are those that this program did not create. A restored trigger runs with every later statement, so a
forged one could grant credits. The objects that the migrations create, at any schema, are known by the hashes of their
definitions.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.kit.errors import Refused

_KNOWN: Final = (
    ("trigger ledger_no_update", "7cc85a9199f10738c2b832ae91a1b4eba90cf2846e873b811a7197b5cda96e77"),
    ("trigger ledger_no_delete", "8343fdc0c2afe68433793adc6ad7dad59b0b974960b424b46f73d96396a2828b"),
    ("function ledger_refuse", "9c65b5b7417dc0684cfe498b27be1c3ec6073720a4455a6b5fcdb343d34ae44c"),
    ("trigger ledger_append_only", "bd07b2b99c9274afd11df6b1b275c0a77ccbfc3a9df498738316bf26e47263d0"),
    (
        "trigger operator_actions_no_update",
        "18f23a91beb9b29891191b0317521172b30139c7c49a4718b3dc0710764243c5",
    ),
    (
        "trigger operator_actions_no_delete",
        "df63bda8d5f2e5267c38b20ceeacfbddebf0a84dec71d91949e6ff32e10fe34b",
    ),
    ("function operator_actions_refuse", "01d724b9f88e38c66236bfc0ae5b90b26d9b253a61fd1c13a9463ce70c24d9f0"),
    (
        "trigger operator_actions_append_only",
        "7c0032b652c107b04327133a35e674c633b75a2c899a1e50a3111e02ef69f5fc",
    ),
    ("function changes_announce", "0b4991f0166d6c399eac9d63e7389f4a91df27fd081ee449ff66663d89c4f65c"),
    ("trigger changes_announced", "d34a816dba41d82fca3e37d462051a2deca2e7983c8816261eb1c5cde2bcba21"),
)
"""Objects of both databases, with the SHA-256 of their definitions on one line."""
KNOWN_NAMES: Final = frozenset(label for label, _ in _KNOWN)

_SQLITE_OBJECTS = sa.text(
    "SELECT type || ' ' || name, sql FROM sqlite_master"
    " WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'"
)

# objects of extensions such as pg_stat_statements belong to the server's operator
_POSTGRESQL_OBJECTS = """
WITH own AS (
    SELECT c.oid, relname, relkind, relnamespace FROM pg_class c
    WHERE relnamespace = quote_ident(current_schema())::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
)
SELECT 'function ' || proname AS label,
    concat_ws(' ', lanname, prosecdef, proconfig, pg_get_function_arguments(p.oid), prosrc) AS definition
FROM pg_proc p JOIN pg_language l ON l.oid = prolang
WHERE pronamespace = quote_ident(current_schema())::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
UNION ALL
SELECT 'trigger ' || tgname,
    concat_ws(' ', tgtype, relname, proname, pronamespace = relnamespace, tgqual IS NULL, tgnargs)
FROM pg_trigger JOIN own ON own.oid = tgrelid JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal
UNION ALL
SELECT 'view ' || relname, '' FROM own WHERE relkind IN ('v', 'm')
UNION ALL
SELECT 'rule ' || rulename, '' FROM pg_rewrite JOIN own ON own.oid = ev_class WHERE rulename <> '_RETURN'
"""

_FOREIGN = f"""
SELECT label FROM ({_POSTGRESQL_OBJECTS}) AS objects
WHERE (label, encode(sha256(convert_to(regexp_replace(definition, '\\s+', ' ', 'g'), 'UTF8')), 'hex'))
    NOT IN (VALUES {", ".join(f"('{label}', '{digest}')" for label, digest in _KNOWN)})
ORDER BY label
"""
_foreign = sa.text(_FOREIGN.replace(":", r"\:"))


def find_foreign(session: Session, *, embedded: bool) -> list[str]:
    """Return the names of foreign objects, such as `trigger grant_credits`."""
    if not embedded:
        return [label for (label,) in session.all(_foreign)]
    objects = ((_line(label), _line(sql)) for label, sql in session.all(_SQLITE_OBJECTS))
    return sorted(
        label for label, sql in objects if (label, hashlib.sha256(sql.encode()).hexdigest()) not in _KNOWN
    )


def refuse_foreign(names: Sequence[str]) -> None:
    """Raise Refused if a backup has foreign objects."""
    if names:
        raise Refused(
            f"The backup contains objects that this program did not create ({', '.join(names)[:300]});"
            " restore another one"
        )


def _line(text: str) -> str:
    return " ".join(text.split())
