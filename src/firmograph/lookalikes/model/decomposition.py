"""Truncated singular value decomposition of a sparse matrix, seeded."""

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy import sparse

Matrix = npt.NDArray[np.float64]

_SEED: Final = 20_17
_OVERSAMPLING: Final = 16
_ROUNDS: Final = 6
_CHUNK_ROWS: Final = 20_000
"""Rows multiplied at a time, so that memory grows with the columns alone."""


def principal_directions(matrix: "sparse.csr_array", dimensions: int) -> tuple[Matrix, Matrix]:
    """Return the strongest right singular vectors as columns, and the singular values, both padded with zeros.

    Block iteration on the product of the matrix with itself. The sign of each vector makes its largest number positive.
    """
    columns = matrix.shape[1]
    width = min(columns, dimensions + _OVERSAMPLING)
    directions = np.zeros((columns, dimensions))
    strengths = np.zeros(dimensions)
    if not width or not matrix.nnz:
        return directions, strengths
    basis = np.linalg.qr(np.random.default_rng(_SEED).standard_normal((columns, width)))[0]
    for _ in range(_ROUNDS if width < columns else 1):
        basis = np.linalg.qr(_gram(matrix, basis))[0]
    squares, rotation = np.linalg.eigh(basis.T @ _gram(matrix, basis))
    best = np.argsort(-squares, kind="stable")[: min(width, dimensions)]
    found = basis @ rotation[:, best]
    largest = np.abs(found).argmax(axis=0)
    found *= np.where(found[largest, np.arange(found.shape[1])] < 0, -1.0, 1.0)
    values = np.sqrt(np.maximum(squares[best], 0.0))
    # what is left of rounding is no direction
    values[values < values[0] * 1e-6] = 0.0
    directions[:, : len(best)] = np.where(values > 0, found, 0.0)
    strengths[: len(best)] = values
    return directions, strengths


def _gram(matrix: "sparse.csr_array", basis: Matrix) -> Matrix:
    """Return the transposed matrix times the matrix times a basis."""
    product = np.zeros_like(basis)
    for start in range(0, matrix.shape[0], _CHUNK_ROWS):
        rows = matrix[start : start + _CHUNK_ROWS]
        product += rows.T @ (rows @ basis)
    return product
