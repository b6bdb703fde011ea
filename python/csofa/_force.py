# SPDX-License-Identifier: LGPL-2.1-or-later
"""Force fields written in Python: what the library calls in a step."""
import traceback

import numpy as np

from ._library import ForceChangeFunction, ForceFunction, StiffnessFunction, lib


class _Block:
    """Memory of the library during a call."""

    def __init__(self, address, shape, writeable):
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": "<f8",
                                    "data": (address, not writeable)}


def _array(address, n, width, writeable=False):
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


def _parameters(time=0.0, k=1.0, b=0.0):
    return {"time": time, "mFactor": 0.0, "bFactor": b, "kFactor": k, "isImplicit": True,
            "energy": False}


def connect(field, handle, state):
    """Lets an object ApplicationForceField call addForce, addDForce and addKToMatrix of `field`."""
    scene = handle._scene
    coord, deriv = state.position.value.shape[1], state.velocity.value.shape[1]

    def guard(function, *arguments):
        """Exceptions do not pass through the library: the step fails, then raises them."""
        try:
            field._init_once()
            function(*arguments)
            return 0
        except BaseException as error:  # of any kind, an interrupt, too
            scene._raised = error
            if scene._embedded:  # nobody in Python called the step
                traceback.print_exception(error)
            return 1

    def force(_user, n, x, v, time, f):
        return guard(field.addForce, _parameters(time), Vector(_array(f, n, deriv, True)),
                     Vector(_array(x, n, coord)), Vector(_array(v, n, deriv)))

    def change(_user, n, _x, _v, factors, dx, df):
        return guard(field.addDForce, _parameters(k=factors[0], b=factors[1]),
                     Vector(_array(df, n, deriv, True)), Vector(_array(dx, n, deriv)))

    def add_stiffness(n, matrix):
        entries = _entries(field.addKToMatrix(_parameters(), n, deriv))
        rows, columns = (np.ascontiguousarray(entries[:, i], np.uint32) for i in (0, 1))
        values = np.ascontiguousarray(entries[:, 2], np.float64)
        lib.csofa_matrix_add(matrix, len(values), rows.ctypes.data, columns.ctypes.data,
                             values.ctypes.data)

    def stiffness(_user, n, _x, matrix):
        return guard(add_stiffness, n, matrix)

    functions = (ForceFunction(force),
                 ForceChangeFunction(change) if hasattr(field, "addDForce")
                 else ForceChangeFunction(),
                 StiffnessFunction(stiffness) if hasattr(field, "addKToMatrix")
                 else StiffnessFunction())
    scene._held.functions.append(functions)  # as long as the scene of the library
    scene._check(lib.csofa_set_force(scene._pointer(), handle._id, *functions, None))


def _entries(matrix):
    """Rows of (row, column, value), of such rows or of a square matrix."""
    if matrix is None:
        return np.zeros((0, 3))
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim == 3 and matrix.shape[2] == 1:
        matrix = matrix[:, :, 0]
    if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.shape[1] != 3:
        rows, columns = np.nonzero(matrix)
        return np.column_stack([rows, columns, matrix[rows, columns]])
    if matrix.ndim != 2 or matrix.shape[1] != 3:
        raise ValueError(f"addKToMatrix returned an array of shape {matrix.shape}: expected rows "
                         "of (row, column, value) or a square matrix")
    return matrix
