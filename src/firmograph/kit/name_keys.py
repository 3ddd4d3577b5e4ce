"""Comparison of names that people give to what is theirs: tables, columns, users."""

import unicodedata


def name_key(name: str) -> str:
    """Return the form in which two names are the same.

    Letter case, composed or decomposed letters (Unicode NFC), white space around the name, and format characters that
    nobody sees (Unicode Cf, such as the zero-width space) make no difference.
    """
    if name.isascii():
        return name.strip().casefold()
    composed = unicodedata.normalize("NFC", name)
    visible = "".join(letter for letter in composed if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFC", visible.strip().casefold())
