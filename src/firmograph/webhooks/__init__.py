"""Webhooks: subscriptions, fan-out of new signals, signed delivery, opt-outs, audit.

See docs/reference/webhooks.md. Other packages import `factory`, `erasure`, `recovery`, `types` and the
services and routes of the parts.
"""
