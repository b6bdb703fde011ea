# SPDX-License-Identifier: LGPL-2.1-or-later
"""Derivatives of a number of the last state of a run by loads, parameters and the first state, from
the transposed systems of its steps. Needs scipy. docs/python.md has the formulas.

    run = adjoint.Run(scene, "/beam")
    run.step(10)
    gradient = run.gradient({"/beam/state": dg_dx}, parameters=[(material, "youngModulus")])
    gradient.parameters[0], gradient.position["/beam/state"]
"""
import numpy as np
from scipy.sparse.linalg import splu

from . import _differences
from ._equations import Equations

TOLERANCE = 1e-6  # of the solutions of the steps
_RELATIVE = 1e-5  # changes of parameters


class Gradient:
    """Derivatives of the number g. position, velocity: {path of a state: (n, width)} by the state
    before the first step; a frame's position has six numbers, translation and rotation vector in
    the world frame. loads: for each step such a dict, by external forces in it. parameters: in the
    order they were asked for, each a number or an array."""

    def __init__(self, position, velocity, loads, parameters):
        self.position, self.velocity = position, velocity
        self.loads, self.parameters = loads, parameters

    def constant_load(self):
        """By a force that acts in all steps."""
        return {path: sum(step[path] for step in self.loads) for path in self.loads[0]}


class _Step:
    """The start of a step, its solution and its external forces."""

    def __init__(self, time, x, v, s, forces):
        self.time, self.x, self.v, self.s, self.forces = time, x, v, s, forces


class Run:
    """Steps of a scene that are kept for derivatives. obj: the solver, or an object or node that it
    moves, or its path."""

    def __init__(self, scene, obj):
        scene.init()
        self._scene = scene
        self._equations = Equations(scene, scene[obj] if isinstance(obj, str) else obj)
        self._steps = []

    def step(self, n=1, forces=None):
        """Makes n steps; forces: {state: (points, width)}, external forces in each of them."""
        forces = [] if not forces else [
            (self._scene[state] if isinstance(state, str) else state, np.asarray(f, float))
            for state, f in forces.items()]
        for _ in range(n):
            time, (x, v, _s) = self._scene.time, self._equations.state()
            self._push(forces, 1)
            self._scene.step()
            end_x, end_v, s = self._equations.state()
            if self._equations.order == 0:  # the equations hold at the equilibrium
                x, v, s = end_x, end_v, np.zeros_like(end_v)
            step = _Step(time, x, v, s, forces)
            self._check_end(step, end_x, end_v)
            self._steps.append(step)

    @staticmethod
    def _push(forces, sign):
        for state, values in forces:
            for point in np.flatnonzero(values.any(axis=1)):
                state.add_force(int(point), sign * values[point])

    def _check_end(self, step, x, v):
        """Is the end what the equations say? Contacts and other solvers make another one."""
        self._equations.begin(step.time, step.x, step.v)
        layout = self._equations.layout
        found_x, found_v = self._equations.end(step.s)
        h, size = self._scene.dt, layout.size(x)
        error = max(np.abs(layout.between(found_x, x)).max(initial=0),
                    h * np.abs(found_v - v).max(initial=0))
        if error > 1e-9 * size + 1e-9 * h * np.abs(v).max(initial=0):
            raise ValueError("the end of the step is not the one of its solver alone: contacts, "
                             "constraints with multipliers or other objects moved the states by "
                             f"{error:g}")

    def gradient(self, position=None, velocity=None, parameters=()):
        """Of a number g of the state after the last step. position, velocity: dg/dx and dg/dv of
        that state, {state: (points, width)}; of a frame: by translation and rotation vector in the
        world frame. An array stands for the only state. parameters: pairs (object, field)."""
        layout = self._equations.layout
        if not self._steps:
            raise ValueError("no step was made")
        adjoint = _Adjoint(self._scene, self._equations)
        by_x, by_v = layout.joined(position), layout.joined(velocity)
        sums = [0.0] * len(parameters)
        loads = []
        for step in reversed(self._steps):
            self._push(step.forces, 1)
            try:
                by_x, by_v, by_load = adjoint.back(step, by_x, by_v, parameters, sums)
            finally:
                self._push(step.forces, -1)
            loads.insert(0, layout.split(by_load))
        return Gradient(layout.split(by_x), layout.split(by_v), loads, sums)


class _Adjoint:
    """One step back. r(x, v, s) = 0 and (x', v') = e(x, v, s): with numbers l = (lx, lv) of the
    end, (-r_s)^T w = e_s^T l and dg/dy = e_y^T l + r_y^T w for y = x, v and parameters."""

    def __init__(self, scene, equations):
        self._scene, self._equations = scene, equations
        layout = equations.layout
        anchor = layout.states[0]
        self._matrix_groups = _differences.groups(
            layout, scene.matrix(anchor, m=1, b=1, k=1).tocsr())
        self._point_groups = _differences.pointwise(layout)

    def _lengths(self, x):
        """Changes of x, v and s for differences."""
        equations, h = self._equations, self._scene.dt
        size = np.where(equations.layout.rotations(), 1.0, equations.layout.size(x))
        of_x = 2e-6 * size
        of_v = (1e-4 if equations.linear else 2e-6) * size / h
        return of_x, of_v, of_v if equations.linear else of_x / h ** equations.order

    def _at(self, step, dx=None, dv=None):
        layout = self._equations.layout
        x = step.x if dx is None else layout.moved(step.x, dx)
        self._equations.begin(step.time, x, step.v if dv is None else step.v + dv)

    def _residual(self, step):
        """r as a function of changes of x, v and s."""
        def by_x(d):
            self._at(step, dx=d)
            return self._equations.residual(step.s)

        def by_v(d):
            self._at(step, dv=d)
            return self._equations.residual(step.s)

        def by_s(d):
            self._at(step)
            return self._equations.residual(step.s + d)
        return by_x, by_v, by_s

    def _ends(self, step):
        """The same of the end."""
        layout, equations = self._equations.layout, self._equations
        self._at(step)
        end = equations.end(step.s)[0]

        def change(s):
            x, v = equations.end(s)
            return np.concatenate([layout.between(x, end), v])

        def by_x(d):
            self._at(step, dx=d)
            return change(step.s)

        def by_v(d):
            self._at(step, dv=d)
            return change(step.s)

        def by_s(d):
            self._at(step)
            return change(step.s + d)
        return by_x, by_v, by_s

    def _jacobians(self, step):
        """Of r by x, v, s; of the end, each a pair for positions and velocities."""
        lengths, found = self._lengths(step.x), []
        for functions, groups, name in (
                (self._residual(step), self._matrix_groups, "system"),
                (self._ends(step), self._point_groups, "end")):
            for function, steps in zip(functions, lengths):
                blocks = _differences.jacobian(function, steps, groups)
                _differences.check(function, steps, blocks, name)
                found.append(blocks)
        return [blocks[0] for blocks in found[:3]], found[3:]

    def back(self, step, by_x, by_v, parameters, sums):
        (r_x, r_v, r_s), ends = self._jacobians(step)
        to = [part[0].T @ by_x + part[1].T @ by_v for part in ends]
        system = splu((-r_s).tocsc())
        self._check_solution(step, system)
        w = system.solve(to[2], trans="T")
        for k, (obj, field) in enumerate(parameters):
            sums[k] = sums[k] + self._by_parameter(step, obj, field, (by_x, by_v, w))
        return to[0] + r_x.T @ w, to[1] + r_v.T @ w, self._by_load(step, r_s, w)

    def _by_load(self, step, r_s, w):
        """By external forces: P times the step's length, but for the torques of bodies that turn."""
        length = abs(r_s).max() * self._lengths(step.x)[2].max(initial=0)
        if self._equations.order == 1:  # r is an impulse
            length /= self._scene.dt
        self._at(step)

        def residual(forces):
            self._equations.push(forces)
            return self._equations.residual(step.s)
        try:
            found, = _differences.jacobian(residual, np.full(len(step.s), length),
                                           self._point_groups)
        finally:
            self._equations.push(None)
        return found.T @ w

    def _check_solution(self, step, system):
        """Were the equations of the step solved?"""
        self._at(step)
        r = self._equations.residual(step.s)
        error = np.abs(system.solve(r)).max(initial=0)
        length = self._lengths(step.x)[2].max(initial=0)
        if error > TOLERANCE * np.abs(step.s).max(initial=0) + 1e-2 * length:
            raise ValueError(f"the step at {step.time:g} s was not solved well enough (the error of "
                             f"its solution is {error:g}): a direct solver, a smaller tolerance or "
                             "more iterations are needed")

    def _by_parameter(self, step, obj, field, numbers):
        """By central differences: exact but for rounding where r is linear in the parameter."""
        before = obj.get(field)
        if isinstance(before, str):
            raise ValueError(f"{obj!r}: '{field}' is not a number")
        if not isinstance(before, np.ndarray):
            return self._difference(step, obj, field, (float(before), None), numbers)
        before = np.array(before, float)
        out = np.zeros(before.shape)
        for at in np.ndindex(*before.shape):
            out[at] = self._difference(step, obj, field, (before, at), numbers)
        return out

    def _difference(self, step, obj, field, place, numbers):
        before, at = place
        value = before if at is None else before[at]
        length = _RELATIVE * (abs(value) or np.abs(before).max(initial=0) or 1.0)
        by_x, by_v, w = numbers
        sides = []
        self._at(step)
        present = self._equations.residual(step.s)
        try:
            for sign in (1, -1):
                changed = before + sign * length if at is None else before.copy()
                if at is not None:
                    changed[at] += sign * length
                obj.set(field, changed)
                self._at(step)
                sides.append((self._equations.residual(step.s), *self._equations.end(step.s)))
        finally:
            obj.set(field, before)
        (r1, x1, v1), (r0, x0, v0) = sides
        self._at(step)
        if np.abs(self._equations.residual(step.s) - present).max() > 1e-9 * np.abs(r1 - r0).max():
            raise ValueError(f"{obj!r} measures it again at the present positions when '{field}' is "
                             "set (of masses: see computeMassOnRest): its derivative is not "
                             "supported, and the scene has changed")
        moved = self._equations.layout.between(x1, x0)
        return float((w @ (r1 - r0) + by_x @ moved + by_v @ (v1 - v0)) / (2 * length))
