# SPDX-License-Identifier: LGPL-2.1-or-later
"""Integrals over elements: points and weights of reference elements, and their mapping to space.

Reference elements: edges, quads and hexahedra from -1 to 1 in each direction; triangles and
tetrahedra with the corners 0 and the unit vectors. Nodes are in the order of the library."""
import numpy as np

_QUAD = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=float)
# corners of elements of products of edges
_CORNERS = {"Edge": np.array([[-1.0], [1.0]]), "Quad": _QUAD,
            "Hexahedron": np.vstack([np.column_stack([_QUAD, np.full(4, z)]) for z in (-1.0, 1.0)])}
_DIMENSION = {"Edge": 1, "Triangle": 2, "Quad": 2, "Tetrahedron": 3, "Hexahedron": 3}
_MAX_DEGREE = 50


def _check(element, dim):
    if element not in _DIMENSION or not _DIMENSION[element] <= dim <= 3:
        raise ValueError(f"there are no elements '{element}' in {dim} dimensions")
    return _DIMENSION[element]


def _gauss(degree):
    """Points and weights on -1..1, exact for polynomials of the degree."""
    return np.polynomial.legendre.leggauss(degree // 2 + 1)


def _product(axes):
    """The rule of a product of rules."""
    grids = np.meshgrid(*(points for points, _ in axes), indexing="ij")
    weights = np.ones(1)
    for _, axis in axes:
        weights = np.outer(weights, axis).ravel()
    return np.column_stack([grid.ravel() for grid in grids]), weights


def _simplex_rule(t, degree):
    """The least rules where they have a name, else the rule of a cube whose sides are drawn
    together: x = u (1 - v)(1 - w), y = v (1 - w), z = w."""
    volume = 1 / (2, 6)[t - 2]
    if degree <= 1:
        return np.full((1, t), 1 / (t + 1)), np.array([volume])
    if degree == 2:
        far = 2 / 3 if t == 2 else (5 + 3 * np.sqrt(5)) / 20
        near = (1 - far) / t
        points = np.full((t + 1, t), near)
        points[np.arange(1, t + 1), np.arange(t)] = far
        return points, np.full(t + 1, volume / (t + 1))
    axes = [((points + 1) / 2, weights / 2)
            for points, weights in (_gauss(degree + i) for i in range(t))]
    points, weights = _product(axes)
    for i in range(1, t):
        shrink = 1 - points[:, i]
        points[:, :i] *= shrink[:, None]
        weights = weights * shrink ** i
    return points, weights


def _simplex_shapes(points):
    q, t = points.shape
    gradients = np.vstack([-np.ones((1, t)), np.eye(t)])
    return (np.column_stack([1 - points.sum(axis=1), points]),
            np.broadcast_to(gradients, (q, t + 1, t)).copy())


def _product_shapes(points, corners):
    """N_a = product over the axes of (1 + x x_a) / 2."""
    factors = (1 + points[:, None, :] * corners[None, :, :]) / 2
    gradients = np.empty(factors.shape)
    for axis in range(corners.shape[1]):
        others = np.delete(factors, axis, axis=2).prod(axis=2)
        gradients[:, :, axis] = corners[None, :, axis] / 2 * others
    return factors.prod(axis=2), gradients


def quadrature_data(element, dim, degree):
    """Weights (q), shape functions (q, nodes) and their derivatives (q, nodes, directions of the
    element) at the points of a rule that is exact for polynomials of the degree."""
    t = _check(element, dim)
    if not 0 <= degree <= _MAX_DEGREE:
        raise ValueError(f"a rule of degree {degree}: degrees are 0 to {_MAX_DEGREE}")
    if element in _CORNERS:
        points, weights = _product([_gauss(degree)] * t)
        return (weights, *_product_shapes(points, _CORNERS[element]))
    points, weights = _simplex_rule(t, degree)
    return (weights, *_simplex_shapes(points))


def element_mapping(element, node_coordinates, reference_gradients):
    """Of one element: derivatives of the shape functions in space (q, nodes, dim) and the measures
    (q): length, area or volume per that of the reference element."""
    nodes = np.asarray(node_coordinates, dtype=float)
    gradients, measures = element_mapping_batch(element, nodes, np.arange(len(nodes))[None, :],
                                                reference_gradients)
    return gradients[0], measures[0]


def element_mapping_batch(element, nodes, node_indices, reference_gradients):
    """Of all elements of a mesh: (elements, q, nodes, dim) and (elements, q)."""
    nodes, cells = np.asarray(nodes, dtype=float), np.asarray(node_indices)
    reference = np.asarray(reference_gradients, dtype=float)
    if nodes.ndim != 2 or cells.ndim != 2:
        raise ValueError("nodes are (n, dim), node_indices (elements, nodes of an element)")
    _check(element, nodes.shape[1])
    if reference.ndim != 3 or cells.shape[1] != reference.shape[1]:
        raise ValueError(f"an element has {cells.shape[1]} nodes, reference_gradients are "
                         f"{reference.shape}")
    if cells.size and (cells.min() < 0 or cells.max() >= len(nodes)):
        raise ValueError(f"node {cells.max()} of {len(nodes)} nodes")
    jacobian = np.einsum("ead,qat->eqdt", nodes[cells.astype(int)], reference)
    metric = np.einsum("eqdt,eqdr->eqtr", jacobian, jacobian)
    inverse = np.linalg.solve(metric, np.swapaxes(jacobian, 2, 3)) if cells.size else (
        np.empty(jacobian.swapaxes(2, 3).shape))
    return (np.einsum("eqtd,qat->eqad", inverse, reference),
            np.sqrt(np.linalg.det(metric)))
