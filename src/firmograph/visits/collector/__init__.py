"""Script of websites, and the collector of the page views that it sends (docs/reference/visit-collector.md)."""
