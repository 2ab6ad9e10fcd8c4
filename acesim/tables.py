"""Scores deal by deal, as a Parquet file that is written while a batch runs."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from acesim.errors import InputError


class ScoreFile:
    """A Parquet file with the columns index (uint64), score (uint8) and won (bool).

    It is written beside its place under another name and moved there when it is closed, so that
    there is never half a file, and a file that stood there before is only replaced by a whole one.
    As a context manager it is closed at the end, or discarded when the block raises.
    """

    def __init__(self, path: Path, max_score: int) -> None:
        """Open the file. Raises InputError when it can't be written or isn't named ``.parquet``."""
        if path.suffix != ".parquet":
            raise InputError(f"output file {str(path)!r} must end in .parquet")
        if path.is_dir():
            raise InputError(f"output file {str(path)!r} is a directory")
        self._path = path
        try:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        except OSError as error:
            raise self._unwritable(error) from None
        import pyarrow as pa
        import pyarrow.parquet as pq

        os.close(handle)
        self._partial = Path(name)
        self._max_score = max_score
        columns = [("index", pa.uint64()), ("score", pa.uint8()), ("won", pa.bool_())]
        self._schema = pa.schema(columns)
        self._writer = pq.ParquetWriter(self._partial, self._schema)
        self._scores: list[npt.NDArray[np.uint8]] = []
        self._start = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the file, or discard it when something went wrong, the closing included."""
        try:
            if kind is None:
                self.close()
        finally:
            self.discard()

    def write(self, first: int, scores: npt.NDArray[np.uint8]) -> None:
        """Add the scores of neighbouring deals, the first with index ``first``.

        Raises InputError when the disk is full, or the like.
        """
        if not self._scores:
            self._start = first
        self._scores.append(scores)
        if len(self._scores) >= 50:  # a million deals: a row group of a few megabytes
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._scores:
            return
        scores = np.concatenate(self._scores)
        index = np.uint64(self._start) + np.arange(len(scores), dtype=np.uint64)
        columns = [index, scores, scores == self._max_score]
        try:
            self._writer.write_table(pa.table(columns, schema=self._schema))
        except OSError as error:
            raise self._unwritable(error) from None
        self._scores = []

    def _unwritable(self, error: OSError) -> InputError:
        reason = error.strerror or str(error)
        return InputError(f"output file {str(self._path)!r} can't be written: {reason}")

    def close(self) -> None:
        """Write what is left and put the file in its place. Raises InputError if that fails."""
        self._flush()
        try:
            self._writer.close()
            mask = os.umask(0)
            os.umask(mask)
            self._partial.chmod(0o666 & ~mask)
            self._partial.replace(self._path)
        except OSError as error:
            raise self._unwritable(error) from None

    def discard(self) -> None:
        """Leave nothing beside the file's place, and what stands there as it is."""
        with suppress(OSError):
            self._writer.close()
        self._partial.unlink(missing_ok=True)
