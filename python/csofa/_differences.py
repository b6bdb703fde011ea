# SPDX-License-Identifier: LGPL-2.1-or-later
"""Derivatives of sparse functions by central differences: points that no row sees together move at
the same time (Curtis, Powell and Reid, 1974)."""
import numpy as np
from scipy.sparse import csr_matrix


class Columns:
    """The numbers of a set of points whose columns have no row in common, and the entries of the
    matrix in these columns."""

    def __init__(self, dofs, rows, columns):
        self.dofs, self.rows, self.columns = dofs, rows, columns


def groups(layout, matrix):
    """Groups of columns of functions whose rows see the points that the rows of a matrix see."""
    n, points = layout.n_v, len(layout.width)
    entries = matrix.tocoo()
    pairs = (np.concatenate([layout.point[entries.row], layout.point[entries.col],
                             np.arange(points)]),
             np.concatenate([layout.point[entries.col], layout.point[entries.row],
                             np.arange(points)]))
    sees = csr_matrix((np.ones(len(pairs[0])), pairs), shape=(points, points))
    color = _colors(sees)
    whole = csr_matrix((np.ones(n), (np.arange(n), layout.point)), shape=(n, points))
    full = (whole @ sees @ whole.T).tocoo()
    key = color[layout.point[full.col]] * (layout.width.max() + 1) + layout.component[full.col]
    order = np.argsort(key, kind="stable")
    found = []
    for part in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        rows, columns = full.row[part], full.col[part]
        found.append(Columns(np.unique(columns), rows, columns))
    return found


def _colors(sees):
    """Of points: those with a row in common differ."""
    near = (sees.T @ sees).tocsr()
    color = np.full(near.shape[0], -1)
    for p in range(near.shape[0]):
        used = set(color[near.indices[near.indptr[p]:near.indptr[p + 1]]])
        color[p] = next(c for c in range(len(used) + 1) if c not in used)
    return color


def pointwise(layout):
    """Groups of functions whose rows see their own point alone."""
    n = layout.n_v
    return groups(layout, csr_matrix((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n)))


def jacobian(function, steps, groups_of):
    """The matrices of function(change), which has one or several blocks of as many numbers as the
    change; steps: of each number of the change."""
    n, change = len(steps), np.zeros(len(steps))
    rows, columns, values = [], [], []
    for group in groups_of:
        change[group.dofs] = steps[group.dofs]
        difference = function(change) - function(-change)
        change[group.dofs] = 0
        rows.append(group.rows)
        columns.append(group.columns)
        values.append(difference.reshape(-1, n)[:, group.rows] / (2 * steps[group.columns]))
    at, values = (np.concatenate(rows), np.concatenate(columns)), np.hstack(values)
    return [csr_matrix((block, at), shape=(n, n)) for block in values]


def check(function, steps, found, name):
    """Is the Jacobian right in a direction? It is not where rows see other points."""
    direction = np.cos(np.arange(1, len(steps) + 1) * 1.7) * steps
    high, low = function(direction), function(-direction)
    predicted = np.concatenate([block @ direction for block in found])
    error = np.abs(predicted - (high - low) / 2).max(initial=0)
    scale = max((abs(block) @ np.abs(direction)).max(initial=0) for block in found)
    if error > 1e-4 * scale + 1e-9 * np.abs(high).max(initial=0):
        raise ValueError(f"the {name} of a step depends on points that its matrix does not couple "
                         f"(error {error:g} of {scale:g}): its derivative is not supported")
