"""Import of dated facts about companies, from which signals are detected; one file per kind.

See docs/reference/import.md#files-of-facts.
"""
