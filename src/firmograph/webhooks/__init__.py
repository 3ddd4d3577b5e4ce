"""Webhooks: subscriptions, fan-out of new signals, signed delivery, opt-outs, audit.

See docs/reference/webhooks.md.
"""
