"""The arrays of an .npz file, row by row: whatever the file's size, only the rows asked for are in memory."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from qdsl.calibrate.rows import Rows
from qdsl.errors import DataError

SUFFIX = ".npy"


class NpzRows(Rows):
    """One array of an .npz file, read from its first row to its last."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, member: str) -> None:
        self._path = path
        self._name = member.removesuffix(SUFFIX)
        self._file: IO[bytes] = archive.open(member)
        self.shape, self._fortran, self.dtype = self._header()
        if self.dtype.hasobject:
            raise DataError(
                f"Array '{self._name}' in {path} holds pickled Python objects, which qdsl does not load; "
                f"save it as an array of numbers."
            )

    def read(self, count: int) -> NDArray[np.generic]:
        if self._fortran:
            self._turn_around()
        wanted = (count, *self.shape[1:])
        size = int(np.prod(wanted, dtype=np.int64)) * self.dtype.itemsize
        with _readable(self._path):
            data = self._file.read(size)
        if len(data) != size:
            raise DataError(f"{self._path} ends in the middle of array '{self._name}'; write the file again.")
        return np.frombuffer(data, self.dtype).reshape(wanted)

    def _header(self) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
        with _readable(self._path):
            version = npy.read_magic(self._file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            return read(self._file)

    def _turn_around(self) -> None:
        """A column-major array has its rows strewn over the file: it has to be read whole."""
        import io

        with _readable(self._path):
            data = np.frombuffer(self._file.read(), self.dtype).reshape(self.shape, order="F")
        self._file, self._fortran = io.BytesIO(np.ascontiguousarray(data).tobytes()), False


def open_npz(path: Path) -> dict[str, NpzRows]:
    """The arrays of a file by name, none of them read yet.

    Raises:
        DataError: a path that is not there or no .npz file, a damaged one, or one with pickled objects.
    """
    if not path.exists():
        raise DataError(f"There is no file {path}; give the .npz file that holds the calibration data.")
    if not path.is_file():
        raise DataError(f"{path} is a folder; calibration data is an .npz file: numpy.savez(path, input=array, ...).")
    with _readable(path):
        archive = zipfile.ZipFile(path)
        return {
            member.removesuffix(SUFFIX): NpzRows(path, archive, member)
            for member in archive.namelist()
            if member.endswith(SUFFIX)
        }


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or "it is damaged, incomplete or no .npz file"
        raise DataError(f"{path} cannot be read as calibration data: {reason}. Write it with numpy.savez.") from error
