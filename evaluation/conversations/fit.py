"""Weights of the boundaries of chapters, fitted on the tuning half of the open meetings.

    python -m evaluation.conversations.fit DATA

prints them for `[chapters]` of `rules.toml`: logistic regression, as turns within two of a labelled boundary are ones.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from evaluation.conversations.gold import Meeting, read_meetings
from firmograph.conversations.analysis.chapters import features
from firmograph.conversations.analysis.rules import load_rules
from firmograph.conversations.analysis.sentences import split_transcript

_NEAR = 2
_PENALTY = 5e-4


def fit(meetings: list[Meeting]) -> dict[str, float]:
    """Return the weight of each feature, by the names in `rules.toml`."""
    rows, ones = [], []
    for meeting in meetings:
        sentences = split_transcript(meeting.transcript, (), is_english=True)
        rows.append(features(meeting.transcript, sentences, is_english=True))
        near = np.zeros(len(rows[-1]))
        for boundary in meeting.boundaries or ():
            near[max(0, boundary - _NEAR) : boundary + _NEAR + 1] = 1
        ones.append(near)
    values, wanted = np.vstack(rows), np.concatenate(ones)
    spread = values.std(axis=0)
    columns = np.column_stack([(values - values.mean(axis=0)) / spread, np.ones(len(values))])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        likely = 1 / (1 + np.exp(-columns @ weights))
        error = -np.mean(wanted * np.log(likely + 1e-9) + (1 - wanted) * np.log(1 - likely + 1e-9))
        slope = columns.T @ (likely - wanted) / len(wanted)
        return float(error + _PENALTY * weights @ weights), slope + 2 * _PENALTY * weights

    weights = minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x[:-1] / spread
    depths = [f"depth {width}" for width in load_rules().chapters.widths]
    names = [*depths, "speakers", "following", "previous", "cue", "opener", "thanks"]
    return dict(zip(names, weights.round(3).tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of chapters.")
    parser.add_argument("data", type=Path, help="the folder of the open data")
    meetings = read_meetings(parser.parse_args().data)
    for name, weight in fit([one for one in meetings if one.is_tuned and one.boundaries is not None]).items():
        print(f"{name} = {weight}")


if __name__ == "__main__":
    main()
