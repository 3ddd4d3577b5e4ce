"""Suppressed people, the registry of personal data, and reports on people.

Other packages import `declarations`, `suppression`, `suppression_file`, `people_lookup`, `person_search` and
`person_reports`; the store is private.
"""
