"""Webhooks: subscriptions, fan-out of new signals, signed delivery, opt-outs, audit.

See docs/reference/webhooks.md. Other packages import `factory`, `erasure`, `operator_actions`, `types` and the
services and routes of the parts.
"""
