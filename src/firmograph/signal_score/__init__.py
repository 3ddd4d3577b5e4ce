"""Signal score: activity of a contact or a company as a number from 0 to 1 (docs/reference/signal-score.md).

Other packages import `record_scores`.
"""
