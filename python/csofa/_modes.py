# SPDX-License-Identifier: LGPL-2.1-or-later
"""Modes of a scene."""
import collections
import ctypes
import math

import numpy as np

from ._library import lib

Mode = collections.namedtuple("Mode", "value frequency rigid mass shape")
Mode.__doc__ = """value: w^2 in 1/s^2, of buckling the factor of the loads; frequency: Hz, negative
where value is; rigid: value is a rounding error; mass: effective masses along x, y, z, kg; shape: in
the order of Scene.matrix_row, with x . M x = 1, of buckling x . K x = 1."""


def modes(scene, n, buckling):
    out = ctypes.c_void_p()
    scene._check(lib.csofa_modes(scene._pointer(), n, int(buckling), ctypes.byref(out)))
    try:
        return [_mode(out, i) for i in range(lib.csofa_modes_count(out))]
    finally:
        lib.csofa_free_modes(out)


def _mode(out, i):
    value, n = lib.csofa_mode_value(out, i), ctypes.c_size_t()
    shape = lib.csofa_mode_shape(out, i, ctypes.byref(n))
    return Mode(value, math.copysign(math.sqrt(abs(value)) / (2 * math.pi), value),
                bool(lib.csofa_mode_is_rigid(out, i)),
                np.ctypeslib.as_array(lib.csofa_mode_mass(out, i), (3,)).copy(),
                np.ctypeslib.as_array(shape, (n.value,)).copy())
