# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of Python that the library calls: their arguments, exceptions and matrices."""
import os
import traceback

import numpy as np


class _Block:
    """Memory of the library during a call."""

    def __init__(self, address, shape, writeable):
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": "<f8",
                                    "data": (address, not writeable)}


def array_at(address, n, width, writeable=False):
    if n == 0:
        return np.zeros((0, width))
    return np.asarray(_Block(address, (n, width), writeable))


class Vector:
    """Positions, velocities or forces of a call: (n, width), valid until it returns."""

    def __init__(self, array):
        self._array = array

    @property
    def value(self):
        return self._array

    def array(self):
        return self._array

    def writeable(self):
        return self

    writeableArray = writeable

    def __enter__(self):
        return self._array

    def __exit__(self, *_):
        pass

    def __len__(self):
        return len(self._array)

    def __getitem__(self, at):
        return self._array[at]

    def __setitem__(self, at, value):
        self._array[at] = value

    def __array__(self, dtype=None):
        return np.asarray(self._array, dtype=dtype)


_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def place_of(error):
    """"file:line: ", the innermost line of the script; "" where there is none."""
    own = [os.path.join(_PACKAGES, name, "") for name in ("csofa", "Sofa", "SofaRuntime")]
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if not f.filename.startswith((*own, "<frozen"))]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""


def guard(scene, function, *arguments):
    """Exceptions do not pass through the library: the call fails, then raises them."""
    try:
        function(*arguments)
        return 0
    except BaseException as error:  # of any kind, an interrupt, too
        scene._raised = error
        if scene._embedded:  # nobody in Python called the step
            traceback.print_exception(error)
        return 1


def add_entries(function, matrix, entries):
    """Adds rows of (row, column, value) by a function of the library."""
    rows, columns = (np.ascontiguousarray(entries[:, i], np.uint32) for i in (0, 1))
    values = np.ascontiguousarray(entries[:, 2], np.float64)
    function(matrix, len(values), rows.ctypes.data, columns.ctypes.data, values.ctypes.data)


def entries_of(matrix, shape, source):
    """Rows of (row, column, value), of such rows or of a matrix of this shape."""
    if matrix is None:
        return np.zeros((0, 3))
    if hasattr(matrix, "tocoo"):  # of scipy
        matrix = matrix.tocoo()
        return np.column_stack([matrix.row, matrix.col, matrix.data])
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim == 3 and matrix.shape[2] == 1:
        matrix = matrix[:, :, 0]
    if matrix.shape == shape and shape[1] != 3:
        rows, columns = np.nonzero(matrix)
        return np.column_stack([rows, columns, matrix[rows, columns]])
    if matrix.size == 0:
        return np.zeros((0, 3))
    if matrix.ndim != 2 or matrix.shape[1] != 3:
        raise ValueError(f"{source} returned an array of shape {matrix.shape}: expected rows of "
                         f"(row, column, value) or a matrix of shape {shape}")
    return matrix
