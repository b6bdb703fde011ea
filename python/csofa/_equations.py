# SPDX-License-Identifier: LGPL-2.1-or-later
"""The equations of a step: functions of its start, on flat arrays of all independent states."""
import ctypes
import weakref

import numpy as np

from ._library import lib
from ._values import widths


class Layout:
    """Where the points of the independent states of a solver are in its arrays. A change of a
    position has as many numbers as a velocity; of a frame: translation and rotation vector, in the
    world frame."""

    def __init__(self, states):
        """states: in the order of their rows"""
        self.states, self.parts = states, []
        x = v = 0
        counts = []
        for state in states:
            n, (coord, deriv) = len(state.get("position")), widths(state)
            self.parts.append((n, coord, deriv, x, v))
            counts += [deriv] * n
            x, v = x + n * coord, v + n * deriv
        self.n_x, self.n_v = x, v
        self.width = np.array(counts, dtype=int)  # of each point
        self.first = np.concatenate([[0], np.cumsum(self.width)])[:-1].astype(int)
        self.point = np.repeat(np.arange(len(counts)), self.width)  # of each number
        self.component = np.arange(v) - self.first[self.point]

    def rotations(self):
        """Which numbers of a velocity are rotations."""
        mask = np.zeros(self.n_v, bool)
        for n, coord, deriv, _x, v in self.parts:
            if coord == 7:
                mask[v:v + n * deriv].reshape(n, deriv)[:, 3:] = True
        return mask

    def size(self, x):
        """The extent of the points, m."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for n, coord, _deriv, first, _v in self.parts:
            at = x[first:first + n * coord].reshape(n, coord)[:, :3]
            if n:
                k = at.shape[1]
                low[:k] = np.minimum(low[:k], at.min(axis=0))
                high[:k] = np.maximum(high[:k], at.max(axis=0))
        extent = np.max(np.where(high > low, high - low, 0))
        return float(extent) if extent > 0 else 1.0

    def moved(self, x, change):
        """x, moved by a change."""
        out = x.copy()
        for n, coord, deriv, first, v in self.parts:
            d = change[v:v + n * deriv].reshape(n, deriv)
            part = out[first:first + n * coord].reshape(n, coord)
            if coord == 7:
                part[:, :3] += d[:, :3]
                part[:, 3:] = _product(_exponential(d[:, 3:]), part[:, 3:])
            else:
                part += d
        return out

    def between(self, x, from_x):
        """The small change that moves from_x to x."""
        out = np.zeros(self.n_v)
        for n, coord, deriv, first, v in self.parts:
            a = x[first:first + n * coord].reshape(n, coord)
            b = from_x[first:first + n * coord].reshape(n, coord)
            d = out[v:v + n * deriv].reshape(n, deriv)
            d[:, :3] = a[:, :3] - b[:, :3]
            if coord == 7:
                turn = _product(a[:, 3:], b[:, 3:] * [-1, -1, -1, 1])
                d[:, 3:] = 2 * turn[:, :3] * np.sign(turn[:, 3:] + 1e-300)
            else:
                d[:, 3:] = a[:, 3:] - b[:, 3:]
        return out

    def split(self, values):
        """{path of the state: (n, width)} of numbers per velocity."""
        return {state.getPathName(): values[v:v + n * deriv].reshape(n, deriv).copy()
                for state, (n, _coord, deriv, _x, v) in zip(self.states, self.parts)}

    def joined(self, values):
        """The reverse; an array stands for the only state, None for zeros."""
        out = np.zeros(self.n_v)
        if values is None:
            return out
        if not isinstance(values, dict):
            if len(self.states) != 1:
                raise ValueError(f"{len(self.states)} states move: give {{state: array}}")
            values = {self.states[0]: values}
        paths = [state.getPathName() for state in self.states]
        for state, value in values.items():
            path = state if isinstance(state, str) else state.getPathName()
            if path not in paths:
                raise ValueError(f"{path} is not an independent state of the solver; these are: "
                                 f"{', '.join(paths)}")
            n, _coord, deriv, _x, v = self.parts[paths.index(path)]
            array = np.asarray(value, float)
            if array.size != n * deriv:
                raise ValueError(f"{path}: an array of shape {array.shape} instead of "
                                 f"({n}, {deriv})")
            out[v:v + n * deriv] = array.ravel()
        return out


def _product(p, q):
    """Of quaternions x y z w."""
    w, u = p[:, 3:], p[:, :3]
    return np.hstack([w * q[:, :3] + q[:, 3:] * u + np.cross(u, q[:, :3]),
                      w * q[:, 3:] - np.sum(u * q[:, :3], axis=1, keepdims=True)])


def _exponential(rotation):
    """The quaternion of a rotation vector."""
    half = np.linalg.norm(rotation, axis=1, keepdims=True) / 2
    return np.hstack([rotation / 2 * np.sinc(half / np.pi), np.cos(half)])


def _free(_held, pointer):  # the scene lives as long
    lib.csofa_free_equations(pointer)


class Equations:
    """r(x, v, s) = 0 gives s, and x, v, s the end of a step: csofa_equations in csofa/csofa.h."""

    def __init__(self, scene, obj):
        out = ctypes.c_void_p()
        scene._check(lib.csofa_equations(scene._pointer(), obj._id, ctypes.byref(out)))
        self._scene, self._pointer = scene, out
        weakref.finalize(self, _free, scene._held, out)
        node = scene._wrap(lib.csofa_equations_node(out), obj._kinds())
        self.order = lib.csofa_equations_order(out)  # of s: displacement, velocity, acceleration
        self.linear = bool(lib.csofa_equations_are_linear(out))  # r in s
        self.layout = Layout(self._states(node))
        n = lib.csofa_equations_n_x(out), lib.csofa_equations_n_v(out)
        if n != (self.layout.n_x, self.layout.n_v):
            raise ValueError(f"{node!r}: several solvers move states of this node")

    def _states(self, node):
        found, nodes = [], [node]
        while nodes:
            at = nodes.pop()
            nodes += at.children
            for o in at.objects:
                if o.getCategories() == ["MechanicalState"]:
                    row = self._scene.matrix_row(o)
                    if row is not None:
                        found.append((row, o._id, o))
        return [o for _row, _id, o in sorted(found)]

    def _call(self, function, *arrays):
        self._scene._check(function(self._pointer, *(a.ctypes.data for a in arrays)))

    def state(self):
        """x, v at present, s of the last step."""
        x, v, s = np.zeros(self.layout.n_x), np.zeros(self.layout.n_v), np.zeros(self.layout.n_v)
        self._call(lib.csofa_equations_state, x, v, s)
        return x, v, s

    def begin(self, time, x, v):
        lib.csofa_equations_begin(self._pointer, time, x.ctypes.data, v.ctypes.data)

    def residual(self, s):
        r = np.zeros(self.layout.n_v)
        self._call(lib.csofa_equations_residual, s, r)
        return r

    def end(self, s):
        x, v = np.zeros(self.layout.n_x), np.zeros(self.layout.n_v)
        self._call(lib.csofa_equations_end, s, x, v)
        return x, v

    def push(self, forces):
        """External forces of the next residuals; None: none."""
        lib.csofa_equations_forces(self._pointer, forces.ctypes.data if forces is not None else None)
