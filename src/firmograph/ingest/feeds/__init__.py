"""DatedFact facts about companies from which signals are detected: one file a kind.

See docs/reference/import.md#files-of-facts.
"""
