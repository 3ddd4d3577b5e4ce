"""Rate limits per account: windows, and counters in memory, shared memory or Redis.

Other packages import `windows` and `factory`; the counters behind them are private.
"""
