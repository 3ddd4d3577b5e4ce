"""Measures speed, size and memory, as `make bench`; writes `docs/benchmarks.md`."""
