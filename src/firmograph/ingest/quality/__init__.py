"""Report on the quality of the records held: fill rates, ages, conflicts between sources, and values not read.

Other packages import `service` and `figures`.
"""
