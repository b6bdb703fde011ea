# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mappings written in Python: positions, and the Jacobian from what a class has."""
import numpy as np

from ._call import Vector, add_entries, array_at, entries_of, guard
from ._library import ApplyFunction, JacobianFunction, lib
from ._values import widths


class _Columns:
    """The Jacobian of a mapping that has applyJ, a column at a time, or applyJT alone, a row at a
    time."""

    def __init__(self, mapping, n_in, d_in, n_out, d_out):
        self._mapping = mapping
        self._in, self._out = (n_in, d_in), (n_out, d_out)

    def entries(self, parameters):
        if hasattr(self._mapping, "applyJ"):
            call = lambda to, at: self._mapping.applyJ(parameters, to, at)  # noqa: E731
            return self._found(call, self._in, self._out, False)
        call = lambda to, at: self._mapping.applyJT(parameters, to, at)  # noqa: E731
        return self._found(call, self._out, self._in, True)

    @staticmethod
    def _found(call, from_shape, to_shape, transposed):
        unit, found = np.zeros(from_shape), []
        for k in range(unit.size):
            result = np.zeros(to_shape)
            unit.flat[k] = 1.0
            call(Vector(result), Vector(unit.copy()))
            unit.flat[k] = 0.0
            rows = np.flatnonzero(result)
            at = np.full(len(rows), k)
            pair = (at, rows) if transposed else (rows, at)
            found.append(np.column_stack([*pair, result.flat[rows]]))
        return np.concatenate(found) if found else np.zeros((0, 3))


def connect(mapping, handle, source, target):
    """Lets an object ApplicationMapping call apply of `mapping`, and what gives its Jacobian."""
    scene = handle._scene
    (coord_in, deriv_in), (coord_out, deriv_out) = widths(source), widths(target)
    last = {}  # input and number of points of the last apply

    def run_apply(x_in, x_out):
        if hasattr(mapping, "_init_once"):
            mapping._init_once()
        last["x"], last["n"] = x_in.copy(), len(x_out)
        mapping.apply({}, Vector(x_out), Vector(x_in))

    def apply(_user, n_in, x_in, n_out, x_out):
        return guard(scene, run_apply, array_at(x_in, n_in, coord_in),
                     array_at(x_out, n_out, coord_out, True))

    def run_jacobian(x_in, matrix):
        n_out = last["n"]
        if not np.array_equal(last["x"], x_in):  # applyJ goes by what apply keeps
            run_apply(x_in, np.zeros((n_out, coord_out)))
        if hasattr(mapping, "jacobian"):
            shape = (n_out * deriv_out, len(x_in) * deriv_in)
            entries = entries_of(mapping.jacobian({}, Vector(x_in)), shape, "jacobian")
        else:
            entries = _Columns(mapping, len(x_in), deriv_in, n_out, deriv_out).entries({})
        add_entries(lib.csofa_jacobian_add, matrix, entries)

    def jacobian(_user, n_in, x_in, matrix):
        return guard(scene, run_jacobian, array_at(x_in, n_in, coord_in), matrix)

    functions = (ApplyFunction(apply), JacobianFunction(jacobian))
    scene._held.functions.append(functions)  # as long as the scene of the library
    scene._check(lib.csofa_set_mapping(scene._pointer(), handle._id, *functions, None))
