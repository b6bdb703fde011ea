#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole load paths of plane frames, without finite elements: the references of scenes/validation/path_*.scn.

A beam of stiffnesses EA and EI has at arc length s of the unloaded shape the direction t, place (x, y), force (H, V) and
moment M, which obey (E. Reissner, Z. Angew. Math. Phys. 23, 1972, without shear)
    t' = k0 + M / EI,  x' = (1 + N / EA) cos t,  y' = (1 + N / EA) sin t,
    M' = H y' - V x',  N = H cos t + V sin t.
The unknowns at the start, and the load P, are found by shooting, and followed by their arc length.
usage: beam_paths.py  prints the points where load or displacement turn round
"""
import math

STEPS = 12  # of Runge-Kutta, in each part of a bar


class LeesFrame:
    """Lee, Manuel and Rossow 1968: two bars of 120, hinged, loaded a fifth of the beam from the corner."""
    ea, ei = 7200 * 6, 7200 * 2
    scale = (1, 1, 1, 20)  # of the unknowns: direction, H, V at the start, P

    @staticmethod
    def start():
        return [math.pi / 2, 0, 0, 0]

    def shoot(self, u):
        """What is wrong at the end, and the displacement (right, down) of the loaded point."""
        t, h, v, p = u
        state = [t, 0, 0, 0]
        state = march(self, state, h, v, 120, 0, 5)
        state[0] -= math.pi / 2
        state = march(self, state, h, v, 24, 0, 1)
        moved = (state[1] - 24, 120 - state[2])
        state = march(self, state, h, v + p, 96, 0, 4)
        return [(state[1] - 120) / 120, (state[2] - 120) / 120, state[3] / 100], moved


class DeepArch:
    """DaDeppo and Schmidt 1975: an arch of radius 100 and 215 degrees, hinged and clamped, loaded at its crown."""
    ea, ei = 1e8, 1e6
    scale = (1, 300, 300, 1000)
    half = math.radians(215 / 2)

    def start(self):
        return [self.half, 0, 0, 0]

    def shoot(self, u):
        t, h, v, p = u
        x, y = 100 * math.sin(self.half), 100 * math.cos(self.half)
        # from the hinge, mirrored: it stands on the left
        state = [t, -x, y, 0]
        state = march(self, state, h, v, 100 * self.half, -0.01, 8)
        moved = (-state[1], 100 - state[2])
        state = march(self, state, h, v + p, 100 * self.half, -0.01, 8)
        return [(state[1] - x) / 100, (state[2] - y) / 100, state[0] + self.half], moved


def slope(frame, s, h, v, curvature):
    cos, sin = math.cos(s[0]), math.sin(s[0])
    stretch = 1 + (h * cos + v * sin) / frame.ea
    dx, dy = stretch * cos, stretch * sin
    return curvature + s[3] / frame.ei, dx, dy, h * dy - v * dx


def march(frame, s, h, v, length, curvature, parts):
    n = STEPS * parts
    d = length / n
    for _ in range(n):
        a = slope(frame, s, h, v, curvature)
        b = slope(frame, [s[k] + d / 2 * a[k] for k in range(4)], h, v, curvature)
        c = slope(frame, [s[k] + d / 2 * b[k] for k in range(4)], h, v, curvature)
        e = slope(frame, [s[k] + d * c[k] for k in range(4)], h, v, curvature)
        s = [s[k] + d / 6 * (a[k] + 2 * b[k] + 2 * c[k] + e[k]) for k in range(4)]
    return s


def solve(m, r):
    """m x = r by elimination with pivots."""
    n = len(r)
    rows = [list(m[i]) + [r[i]] for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(i + 1, n):
            f = rows[k][i] / rows[i][i]
            for j in range(i, n + 1):
                rows[k][j] -= f * rows[i][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def jacobian(frame, w):
    columns = []
    for k in range(4):
        step = 1e-6
        a, b = list(w), list(w)
        a[k] += step
        b[k] -= step
        fa, fb = residual(frame, a), residual(frame, b)
        columns.append([(fa[i] - fb[i]) / (2 * step) for i in range(3)])
    return [[columns[k][i] for k in range(4)] for i in range(3)]


def residual(frame, w):
    return frame.shoot([w[k] * frame.scale[k] for k in range(4)])[0]


def tangent(frame, w, last):
    t = solve(jacobian(frame, w) + [list(last)], [0, 0, 0, 1])
    norm = math.sqrt(sum(x * x for x in t))
    return [x / norm for x in t]


def correct(frame, w, way):
    for _ in range(20):
        r = residual(frame, w)
        if max(map(abs, r)) < 1e-11:
            return w
        d = solve(jacobian(frame, w) + [list(way)], [-x for x in r] + [0])
        w = [a + b for a, b in zip(w, d)]
    raise RuntimeError("no equilibrium")


def follow(frame, size, n):
    """Rows (P, right, down) along the path."""
    start = frame.start()
    w = [start[k] / frame.scale[k] for k in range(4)]
    way = [0, 0, 0, 1]
    rows = []
    for _ in range(n):
        way = tangent(frame, w, way)
        guess = [a + size * b for a, b in zip(w, way)]
        w = correct(frame, guess, way)
        u = [w[k] * frame.scale[k] for k in range(4)]
        rows.append((u[3],) + frame.shoot(u)[1])
    return rows


def turns(rows, column):
    """Values of a column where it turns round, by the parabola through three points, and the rows there."""
    found = []
    for a, b, c in zip(rows, rows[1:], rows[2:]):
        u, v = b[column] - a[column], c[column] - b[column]
        if u * v < 0:
            at = 0.5 * (u + v) / (u - v)  # in steps from b
            found.append([b[k] + 0.5 * at * (c[k] - a[k]) + 0.5 * at * at * (a[k] - 2 * b[k] + c[k])
                          for k in range(3)])
    return found


def main():
    for frame, size, n in ((LeesFrame(), 0.03, 1200), (DeepArch(), 0.02, 500)):
        rows = follow(frame, size, n)
        print(frame.__doc__)
        for column, name in enumerate(("load", "right", "down")):
            for row in turns(rows, column):
                print("  %-5s turns: load %.5f right %.5f down %.5f" % ((name,) + tuple(row)))


if __name__ == "__main__":
    main()
