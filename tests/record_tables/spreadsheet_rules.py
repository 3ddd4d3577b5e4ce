"""A spreadsheet's rules for texts of a CSV file, written independently of the export.

Excel, LibreOffice and Google Sheets evaluate a cell whose text, without leading blanks that they drop, begins with `=`,
`+`, `-` or `@`, unless all of it is a number. A leading apostrophe makes it text.
"""


def is_evaluated(text):
    """Return whether a spreadsheet would evaluate a cell of a CSV file."""
    shown = text.lstrip("\t\r")
    if not shown or shown[0] not in "=+-@":
        return False
    return not _is_number(shown)


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()
