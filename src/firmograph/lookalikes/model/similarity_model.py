"""Similarity model: everything by which nodes turn records into the same codes."""

from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from firmograph.lookalikes.model.code_space import Codes, CodeSpace
from firmograph.lookalikes.model.entity_model import EntityModel, Floats

COMPANY_DIMENSIONS: Final = 128
OWN_DIMENSIONS: Final = 80
"""Numbers of a contact's own part."""
EMPLOYER_DIMENSIONS: Final = 48
"""Numbers of the employer that follow: its first and strongest ones."""

_FORMAT: Final = 1


class UnknownFormat(Exception):
    """Model written by another release."""


class _Array(msgspec.Struct, array_like=True):
    type: str
    shape: tuple[int, ...]
    content: bytes


class _Content(msgspec.Struct, array_like=True):
    format: int
    number: int
    company_share: float
    company_attributes: list[str]
    contact_attributes: list[str]
    arrays: list[_Array]


@dataclass(frozen=True, slots=True)
class SimilarityModel:
    """Numbered model. A vector and its code are pure functions of the model and a record.

    A contact's vector is its own part and its employer's part, whose squared lengths are the shares of both in the
    similarity; a missing part is zero.
    """

    number: int
    companies: EntityModel
    contacts: EntityModel
    """Of the contacts' own part."""
    company_share: float
    """Share of the employer in the similarity of two contacts."""
    company_space: CodeSpace
    contact_space: CodeSpace
    """Of both parts: those of the contact, then those of the employer."""

    def with_number(self, number: int) -> "SimilarityModel":
        return replace(self, number=number)

    def company_codes(self, vectors: Floats) -> Codes:
        """Return the codes of vectors of `companies`."""
        return self.company_space.encode(vectors)

    def own_codes(self, vectors: Floats) -> Codes:
        """Return the first half of the codes of contacts, from vectors of `contacts`."""
        return self.contact_space.encode(self.own_part(vectors))

    def employer_codes(self, company_codes: Codes) -> Codes:
        """Return the second half of the codes of contacts, from the codes of their employers."""
        return self.contact_space.encode(self.employer_part(company_codes), OWN_DIMENSIONS)

    def own_part(self, vectors: Floats) -> Floats:
        return np.asarray(vectors * np.sqrt(1 - self.company_share), dtype=np.float32)

    def employer_part(self, company_codes: Codes) -> Floats:
        """Return the employers' part of contacts' vectors; zeros for an employer without attributes."""
        decoded = self.company_space.decode(company_codes)
        return employer_part(decoded, self.company_share)

    def to_bytes(self) -> bytes:
        arrays = (
            self.companies.vectors,
            self.contacts.vectors,
            self.company_space.ranges,
            self.company_space.centres,
            self.contact_space.ranges,
            self.contact_space.centres,
        )
        content = _Content(
            _FORMAT,
            self.number,
            self.company_share,
            list(self.companies.attributes),
            list(self.contacts.attributes),
            [_pack(array) for array in arrays],
        )
        return msgspec.msgpack.encode(content)

    @classmethod
    def from_bytes(cls, content: bytes) -> "SimilarityModel":
        """Return the model of `to_bytes`. Raises UnknownFormat for one of another release."""
        try:
            read = msgspec.msgpack.decode(content, type=_Content)
        except msgspec.DecodeError as error:
            raise UnknownFormat from error
        if read.format != _FORMAT:
            raise UnknownFormat
        companies, contacts, *spaces = (_unpack(array) for array in read.arrays)
        return cls(
            read.number,
            EntityModel(read.company_attributes, companies),
            EntityModel(read.contact_attributes, contacts),
            read.company_share,
            CodeSpace(spaces[0], spaces[1]),
            CodeSpace(spaces[2], spaces[3]),
        )


def employer_part(vectors: Floats, share: float) -> Floats:
    """Return the first numbers of companies' vectors, of length `sqrt(share)`, or zeros."""
    part = vectors[..., :EMPLOYER_DIMENSIONS].astype(np.float64)
    # summed one coordinate after the other, as faster sums differ by machine
    squares = np.zeros(part.shape[:-1])
    for coordinate in range(part.shape[-1]):
        squares += part[..., coordinate] * part[..., coordinate]
    lengths = np.sqrt(np.where(squares > 0, squares, 1.0))[..., None]
    return np.asarray(part / lengths * np.sqrt(share), dtype=np.float32)


def _pack(array: npt.NDArray[Any]) -> _Array:
    stored = array.dtype.newbyteorder("<")
    return _Array(stored.str, array.shape, array.astype(stored).tobytes())


def _unpack(array: _Array) -> npt.NDArray[Any]:
    flat = np.frombuffer(array.content, dtype=np.dtype(array.type))
    return flat.reshape(array.shape).astype(flat.dtype.newbyteorder("="), copy=False)
