# SPDX-License-Identifier: LGPL-2.1-or-later
"""The matrix of one component, from that of the solver of its state: where no other component adds
to the same rows."""
import csofa
import numpy as np
from csofa import _matrix


def dense(arrays, n_columns=None):
    """The array of (start, columns, values)."""
    start, columns, values = arrays
    n = len(start) - 1
    out = np.zeros((n, n if n_columns is None else n_columns))
    np.add.at(out, (np.repeat(np.arange(n), np.diff(start)), columns), values)
    return out


def solved_matrix(component, kind):
    return _matrix.as_scipy(*_matrix.solved(component._scene, component, kind))


class Rows:
    """The rows of constraints that act on a state in the last step, as data: (rows, velocities)."""

    def __init__(self, state):
        self._state = state

    @property
    def value(self):
        state = self._state
        _kind, n, width, _flags = csofa._values.info(state, "velocity")
        return _matrix.as_scipy(*_matrix.solved(state._scene, state, "J"), n * width)

    def getLinkPath(self):
        return f"{self._state.getLinkPath()}.constraint"

    linkpath = property(getLinkPath)


def mass_matrix(mass):
    return _own_rows(mass, (1.0, 0.0, 0.0), "Mass", "assembleMMatrix")


def stiffness_matrix(field):
    return _own_rows(field, (0.0, 0.0, 1.0), "ForceField", "assembleKMatrix")


def _own_rows(component, factors, category, function):
    scene, state = component._scene, component.getContext().getMechanicalState()
    if category not in component.getCategories() or state is None:
        _refuse(component, function, f"it is not a {category} in the node of a state")
    arrays = scene._assemble(component, factors)
    row = scene.matrix_row(state)
    if row is None:
        _refuse(component, function, "its state is mapped, or no solver moves it")
    others = [o for o in _rivals(scene, state, category) if o != component]
    if others:
        _refuse(component, function, f"{others[0].getPathName()} adds to the same rows")
    _kind, n, width, _flags = csofa._values.info(state, "velocity")
    return _matrix.as_scipy(*_matrix.block(*arrays, row, n * width))


def _rivals(scene, state, category):
    """Components of the category that add to the rows of a state: its own, those of mapped states
    below, and force fields between states."""
    below = set(state.getContext()._below())
    for o in _objects(scene._root(state._kinds())):
        if category in o.getCategories():
            moved = _moved_state(o)
            if moved == state or (o._id in below and (
                    moved is None or scene.matrix_row(moved) is None)):
                yield o
        elif category == "ForceField" and "InteractionForceField" in o.getCategories():
            yield o


def _moved_state(component):
    """The state that it names, or the nearest one above."""
    named = component.linked("mstate") if component.has("mstate") else None
    node = component.getContext()
    while named is None and node is not None:
        named, node = node.getMechanicalState(), node._parent()
    return named


def _objects(node):
    yield from node.objects
    for child in node.children:
        yield from _objects(child)


def _refuse(component, function, reason):
    raise csofa.Error(f"{component!r}: {function} is not supported yet here: {reason}", 9)
