"""Measurements of speed, size and memory, as `make bench`; they write `docs/benchmarks.md`."""
