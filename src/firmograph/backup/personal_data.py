"""Personal data of backups: all of the database."""

from typing import Final

from firmograph.privacy.declarations import FileData, PersonalData

PERSONAL_DATA: Final = PersonalData(
    "backup",
    files=(
        FileData(
            "backup.service",
            "the whole database with its keys",
            "stays until the operator removes it; a restore erases who was suppressed since",
        ),
        FileData("backup.archive", "the same, and its database unpacked during a restore", "as above"),
        FileData(
            "backup.sqlite",
            "a copy of the database during backup, restore and the copy of another database",
            "removed at their end, or by the next command that opens the database",
        ),
        FileData(
            "backup.programs",
            "error output of pg_dump and pg_restore",
            "has no name: it ends with the program; only the first line of an error is shown",
        ),
    ),
)
