"""Registration of the export of records."""

from firmograph.installation import Registration

REGISTRATION = Registration(services=("firmograph.record_export.wiring",))
