# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matrices of the solver of an object, as scipy has them."""
import ctypes

import numpy as np

from ._library import lib


def assemble(scene, obj, factors, project):
    """(start, columns, values) of m M + b B + k K in compressed rows, copied."""
    out = ctypes.c_void_p()
    scene._check(lib.csofa_assemble(scene._pointer(), obj._id, *factors, int(project),
                                    ctypes.byref(out)))
    return _copied(out)


def solved(scene, obj, kind):
    """The matrix "A", "W" or "J" of the last step, as such arrays."""
    out = ctypes.c_void_p()
    scene._check(lib.csofa_solved_matrix(scene._pointer(), obj._id, kind.encode(),
                                         ctypes.byref(out)))
    return _copied(out)


def solved_vector(scene, obj, kind):
    """"b", "x" or "lambda" of the last step; a copy."""
    values, n = ctypes.POINTER(ctypes.c_double)(), ctypes.c_size_t()
    scene._check(lib.csofa_solved_vector(scene._pointer(), obj._id, kind.encode(),
                                         ctypes.byref(values), ctypes.byref(n)))
    return np.ctypeslib.as_array(values, (n.value,)).copy() if n.value else np.zeros(0)


def _copied(out):
    """The arrays of a matrix of the library, which is freed."""
    try:
        n = lib.csofa_sparse_size(out)
        start = np.ctypeslib.as_array(lib.csofa_sparse_start(out), (n + 1,)).astype(np.int32)
        if start[n] == 0:
            return start, np.zeros(0, np.int32), np.zeros(0)
        at = (int(start[n]),)
        columns = np.ctypeslib.as_array(lib.csofa_sparse_columns(out), at).astype(np.int32)
        return start, columns, np.ctypeslib.as_array(lib.csofa_sparse_values(out), at).copy()
    finally:
        lib.csofa_free_sparse(out)


def as_scipy(start, columns, values, n_columns=None):
    """A scipy.sparse.csr_matrix, square or with so many columns; without scipy the arrays
    themselves."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return start, columns, values
    n = len(start) - 1
    return csr_matrix((values, columns, start), shape=(n, n if n_columns is None else n_columns))


def block(start, columns, values, first, n):
    """The square block of n rows and columns from `first`, as such arrays."""
    keep = (columns >= first) & (columns < first + n)
    count = np.concatenate([[0], np.cumsum(keep)])
    rows = start[first:first + n + 1]
    inside = slice(rows[0], rows[-1])
    kept = keep[inside]
    return ((count[rows] - count[rows[0]]).astype(np.int32), columns[inside][kept] - first,
            values[inside][kept])
