"""Classes of aliases, determined without the matching rules that they are to judge."""

import unicodedata


def plain(text: str) -> str:
    """Return lower case, without accents, letters and digits only."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if part.isalnum())


def alias_class(alias: tuple[str, str], own: tuple[str, str]) -> str:
    """Return the class of a (first, last) alias of the stored (first, last) name."""
    words = [plain(word) for word in alias[0].replace(".", ". ").split() if plain(word)]
    own_words = [plain(word) for word in own[0].replace(".", ". ").split() if plain(word)]
    if plain(alias[1]) != plain(own[1]):
        parts = {plain(word) for word in alias[1].replace("-", " ").split()}
        shared = parts & {plain(word) for word in own[1].replace("-", " ").split()}
        return "half of a double last name" if shared else "other last name"
    if words == own_words:
        return "spelling"
    if all(len(word) == 1 for word in words):
        if words[0] == own_words[0][:1]:
            return "initial" if len(words) == 1 else "initials"
        return (
            "first name under its middle initial"
            if own_words[0][:1] in words[1:]
            else "initial of another name"
        )
    if words[0] == own_words[0]:
        return "middle name"
    if own_words[0] in words[1:] or words[0] in own_words[1:]:
        return "first name as middle name"
    return "other first name"
