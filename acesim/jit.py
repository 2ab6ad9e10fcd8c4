"""The one place that decides how kernels are compiled and where their machine code is kept.

numba's own disk cache looks only at the file that a function stands in: edit the shuffle, and a
kernel in another file that has it inlined goes on dealing the old packs. So the cache lives in a
directory named by a digest of *all* the package's sources; an edit anywhere starts an empty one.

Environment variables:

``ACESIM_CACHE_DIR``
    keep the compiled kernels below this directory instead of the user's cache directory.
``ACESIM_NO_CACHE``
    set to anything but ``0`` or nothing: keep none, compile anew in every process.
``NUMBA_DISABLE_JIT``
    numba's own: run the kernels as plain Python (slow; for debugging and coverage).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.types.function_type import CompileResultWAP
from numba.extending import intrinsic
from numba.np import arrayobj

ENABLED = not numba.config.DISABLE_JIT
"""False when ``NUMBA_DISABLE_JIT`` is set: then :func:`kernel` leaves functions as they are."""

KEEP_STALE_SECONDS = 30 * 24 * 3600
"""Directories of other versions of the sources are removed when unused for this long (seconds)."""


def source_digest() -> str:
    """Return 16 hexadecimal digits that change whenever a source file of the package changes.

    The versions of Python, numba and numpy count as well, since they compile the sources.
    """
    root = Path(__file__).resolve().parent
    digest = hashlib.sha256(f"{sys.version}|{numba.__version__}|{np.__version__}".encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path | None:
    """Return the directory of this process's compiled kernels, or None where none is kept.

    None when ``ACESIM_NO_CACHE`` is set, or when the directory can't be made or written.
    """
    if not ENABLED or os.environ.get("ACESIM_NO_CACHE", "0") not in ("", "0"):
        return None
    base = os.environ.get("ACESIM_CACHE_DIR")
    if base is None:
        import platformdirs

        base = platformdirs.user_cache_dir("acesim", appauthor=False)
    directory = Path(base) / source_digest()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        os.utime(directory)
    except OSError:
        return None
    _remove_stale(directory)
    return directory


def _remove_stale(directory: Path) -> None:
    """Remove sibling caches that no process has used for a month; never fail over it."""
    limit = time.time() - KEEP_STALE_SECONDS
    try:
        for other in directory.parent.iterdir():
            named_by_digest = len(other.name) == 16 and set(other.name) <= set("0123456789abcdef")
            if other != directory and named_by_digest and other.stat().st_mtime < limit:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        pass


_used: set[object] = set()


@contextmanager
def first_use(what: object) -> Iterator[None]:
    """Hold the cache's lock, so that processes that start together fill it one after another.

    Two processes that add entries to one of numba's index files at once can leave an entry that
    names the other's machine code. Whoever may compile does it inside this block, before any
    thread starts. ``what`` names that which is compiled: the second time there is nothing to wait
    for.
    """
    directory = None if what in _used else cache_directory()
    if directory is None:
        yield
        return
    from filelock import FileLock

    try:
        lock = FileLock(directory / "lock")
        lock.acquire()
    except (OSError, NotImplementedError):  # a file system without locks: go on without
        yield
        return
    try:
        yield
        _used.add(what)
    finally:
        lock.release()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on its first call: no GIL, no bounds checks, kept in the cache."""
    return _compile(function, inline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """Do what :func:`kernel` does, for a small function that belongs into each of its callers.

    A call that hands arrays over costs more than such a function does.
    """
    return _compile(function, inline=True)


def _compile(function: Callable[..., Any], inline: bool) -> Any:
    if not ENABLED:
        return function if inline else _wrapping(function)
    options = {"nogil": True, "error_model": "numpy", "forceinline": inline}
    directory = cache_directory()
    if directory is None:
        return numba.njit(**options)(function)
    # numba reads its setting when it decorates; other packages in the process keep theirs.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(directory)
    try:
        return numba.njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before


def _wrapping(function: Callable[..., Any]) -> Any:
    """Return a plain function whose uint64 arithmetic wraps in silence, as compiled code's does."""

    @wraps(function)
    def wrapping(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):  # numpy keeps this setting thread by thread
            return function(*arguments)

    return wrapping


def pointer(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a user's function to ``signature``, to be handed to kernels as a function pointer.

    A kernel is then compiled once, for the pointer's type; handed the compiled function itself it
    would be compiled anew for every function, and the cache would name the user's modules.
    Raises what numba raises when it can't compile ``function``.
    """
    if not ENABLED:
        return function
    compiled = numba.njit(signature, nogil=True, error_model="numpy")(function)
    return CompileResultWAP(compiled.get_compile_result(signature))


if ENABLED:
    from llvmlite import ir

    @intrinsic
    def trailing_zeros(_context: Any, _word: Any) -> Any:
        """Number of zero bits below the lowest one of a uint64; 64 for zero."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), generate

    @intrinsic
    def ones(_context: Any, _word: Any) -> Any:
        """Number of one bits of a uint64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), generate

    @intrinsic
    def multiply_high(_context: Any, _left: Any, _right: Any) -> Any:
        """High 64 bits of the 128-bit product of two uint64."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            wide = ir.IntType(128)
            product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
            high = builder.lshr(product, ir.Constant(wide, 64))
            return builder.trunc(high, ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), generate

    @intrinsic
    def borrowed(_context: Any, array: Any) -> Any:
        """The same array without its reference count, for a function's own arguments.

        Handing a counted array to another function costs two atomic additions each time, which is
        more than a whole small kernel; an argument is kept alive by the caller in any case. A local
        array is not: never borrow one of those, for it would be freed at once.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            counted = arrayobj.make_array(signature.args[0])(context, builder, args[0])
            plain = arrayobj.make_array(signature.args[0])(context, builder)
            arrayobj.populate_array(
                plain,
                data=counted.data,
                shape=counted.shape,
                strides=counted.strides,
                itemsize=counted.itemsize,
                meminfo=None,
                parent=None,
            )
            return plain._getvalue()

        return array(array), generate

else:
    np.seterr(over="ignore")  # for inlined functions that are called on their own

    def trailing_zeros(word: Any) -> Any:
        """Number of zero bits below the lowest one of a uint64; 64 for zero."""
        number = int(word)
        return np.uint64((number & -number).bit_length() - 1 if number else 64)

    def ones(word: Any) -> Any:
        """Number of one bits of a uint64."""
        return np.uint64(int(word).bit_count())

    def multiply_high(left: Any, right: Any) -> Any:
        """High 64 bits of the 128-bit product of two uint64."""
        return np.uint64((int(left) * int(right)) >> 64)

    def borrowed(array: Any) -> Any:
        """The same array."""
        return array
