# SPDX-License-Identifier: LGPL-2.1-or-later
"""Timers of the phases of a step."""
import ctypes

from csofa._context import text_of
from csofa._library import SolveFunction, lib
from Sofa import Core

_enabled = set()  # names of timers
_solves = []  # (solver, iteration, linear iterations, seconds) of Newton iterations since begin


def _hear(_user, kind, solver, iteration, linear_iterations, seconds):
    if kind == b"newton":  # iteration 0: of the first residual, before any solve
        _solves.append((solver, iteration, linear_iterations, seconds))


_heard = SolveFunction(_hear)
_nobody = SolveFunction()


class Timer:
    """Names of timers are for their readers: all show the phases of the library. Times are in ms,
    since begin, of the shared context (Sofa.Core.shared_context())."""

    @staticmethod
    def setEnabled(name, enabled):
        context = Core.shared_context()._held.pointer
        (_enabled.add if enabled else _enabled.discard)(name)
        lib.csofa_time_phases(context, int(bool(_enabled)))
        lib.csofa_on_solve(context, _heard if _enabled else _nobody, None)

    @staticmethod
    def isEnabled(name):
        """That of a step, "Animate", is enabled where the program times the phases itself."""
        if name in _enabled:
            return True
        return name == "Animate" and not _enabled and Timer._row(0) is not None

    @staticmethod
    def begin(name):
        del _solves[:]
        lib.csofa_time_phases(Core.shared_context()._held.pointer, 1)

    @staticmethod
    def end(name):
        """The records stay until the next begin."""

    stepBegin = stepEnd = end

    @staticmethod
    def clear():
        Timer.begin("")

    @staticmethod
    def _row(i):
        level, calls, seconds = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_double()
        name = lib.csofa_timer(Core.shared_context()._held.pointer, i, ctypes.byref(level),
                               ctypes.byref(calls), ctypes.byref(seconds))
        return None if name is None else (text_of(name), level.value, calls.value, seconds.value)

    @staticmethod
    def getRecords(name):
        """{phase: {"total_time", "calls", phase below: ...}} of the steps. Below "solve",
        "Mechanical (node)" has the Newton iterations of the solver of a node, with SofaPython3's
        names."""
        found, path, i = {}, [], 0
        while (row := Timer._row(i)) is not None:
            phase, level, calls, seconds = row
            del path[level:]
            entry = {"total_time": 1e3 * seconds, "calls": calls}
            (path[-1] if path else found)[phase] = entry
            path.append(entry)
            i += 1
        found.update(found.pop("step", {}))  # the step itself is total_time
        _add_newton(found.setdefault("solve", {"total_time": 0.0, "calls": 0}))
        return found


def _add_newton(solve):
    scene = next((s for s in Core.shared_context()._scenes if s._held is not None), None)
    for number, iteration, linear_iterations, seconds in _solves if scene else []:
        solver = scene._wrap(number, (Core.Node, Core.Object))
        kind, node = solver.getClassName(), solver.getContext().getName()
        kind = "StaticSolver" if kind == "StaticEquilibriumIntegrationScheme" else kind
        place = solve.setdefault(f"Mechanical ({node})", {"total_time": 0.0})
        steps = place.setdefault(f"{kind}::Solve", {"total_time": 0.0, "nb_iterations": 0,
                                                    "NewtonStep": []})
        if iteration > 0:
            steps["NewtonStep"].append({"total_time": 1e3 * seconds,
                                        "MBKSolve": {"CG iterations": linear_iterations}})
            steps["nb_iterations"] += 1
        for entry in (place, steps):
            entry["total_time"] += 1e3 * seconds
