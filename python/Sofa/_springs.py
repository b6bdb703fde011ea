# SPDX-License-Identifier: LGPL-2.1-or-later
"""Springs between points of two states, as rows."""
import numpy as np


class Spring:
    """A row: two points, stiffness (N/m), damping (N s/m), length (m)."""

    def __init__(self, index1=0, index2=0, springStiffness=0.0, dampingFactor=0.0, restLength=0.0):
        self.Index1, self.Index2 = int(index1), int(index2)
        self.springStiffness, self.dampingFactor = springStiffness, dampingFactor
        self.restLength = restLength


_LISTS = ("indices1", "indices2", "stiffness", "damping", "lengths")


def springs_of(component):
    """Rows (i, j, k, d, L)."""
    if component.is_set("spring"):
        return np.array(component.text("spring").split(), float).reshape(-1, 5).tolist()
    columns = [np.ravel(component.get(name)).astype(float) for name in _LISTS if
               component.has(name)]
    n = len(columns[0])
    return np.column_stack([c if len(c) == n else np.resize(c, n) if len(c) else np.zeros(n)
                            for c in columns]).tolist()


def change_springs(component, change):
    """Gives it other rows."""
    rows = change(springs_of(component))
    text = "  ".join(f"{int(i)} {int(j)} {k!r} {d!r} {length!r}" for i, j, k, d, length in rows)
    component.set("spring", text)
