#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot columns of a CSV file over its first column as an SVG picture. Needs nothing but Python.

usage: plot_csv.py TABLE.csv OUT.svg [COLUMN ...] [--title TEXT]
COLUMN: the name of a column, with or without its unit, the beginning of words in names, or a word of CSVRecorder
(position, velocity, force, kineticEnergy, potentialEnergy, momentum, angularMomentum); default: all.
The unit stands in brackets behind a name; columns of different units are drawn one below the other. Columns of
text are left out, and so are empty entries."""
import csv
import math
import re
import sys
from html import escape

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 760, 220, 84, 190, 44, 58
COLOURS = ["#33608e", "#c0562c", "#3f8a4f", "#8a5aa8", "#b8860b", "#2a8f96", "#a03a5a", "#555555"]


# the columns of a word of CSVRecorder: names without their unit
WORDS = {"position": r"(x|y|z|x\d|q[xyzw]|angle)\[\d+\]", "velocity": r"(v[xyz\d]|w[xyz]?)\[\d+\]",
         "force": r"(f[xyz\d]|t[xyz]?)\[\d+\]", "momentum": r"p[xyz]", "angularMomentum": r"L[xyz]",
         "kineticEnergy": "kinetic energy", "potentialEnergy": "potential energy"}


def number(word):
    return float(word) if word.strip() else math.nan


def numbers(words):
    """The numbers of a column, NaN where it is empty; None: it is text."""
    try:
        return [number(word) for word in words]
    except ValueError:
        return None


def read(path):
    """Names and numbers of the columns of numbers; a line that is not complete is left out."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    rows = [row for row in rows if row and not row[0].startswith("#")]
    names = rows[0] if rows else []
    lines = [row for row in rows[1:] if len(row) == len(names)]
    columns = [numbers([row[i] for row in lines]) for i in range(len(names))]
    kept = [i for i, column in enumerate(columns) if column is not None]
    if not kept:
        sys.exit("plot_csv.py: %s has no column of numbers" % path)
    return [names[i] for i in kept], [columns[i] for i in kept]


def split(name):
    """Name and unit: "x[3] [m]" is x[3] in m."""
    match = re.match(r"(.*?) +\[([^\[\]]*)\]$", name)
    return (match.group(1), match.group(2)) if match else (name, "")


def chosen(names, words):
    """Ranks of the columns, the first one left out."""
    if not words:
        return list(range(1, len(names)))
    ranks = []
    for word in words:
        exact = [i for i, name in enumerate(names) if word in (name, split(name)[0])]
        if word in WORDS:
            exact = exact or [i for i, name in enumerate(names) if re.fullmatch(WORDS[word], split(name)[0])]
        begin = re.compile(r"\b" + re.escape(word))
        found = exact or [i for i, name in enumerate(names) if i and begin.search(name)]
        if not found:
            sys.exit("plot_csv.py: there is no column '%s'; there are: %s" % (
                word, ", ".join(split(name)[0] for name in names)))
        ranks += [i for i in found if i not in ranks]
    return ranks


def ticks(low, high, n=5):
    """Round numbers in [low, high]."""
    if not high > low:
        return [low]
    raw = (high - low) / n
    power = 10 ** math.floor(math.log10(raw))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= raw)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, int(math.floor(high / step + 1e-9)) + 1)]


def span(values):
    low, high = min(values), max(values)
    if low == high:
        margin = abs(low) * 0.1 or 1
        return low - margin, high + margin
    return low, high


def panel(x, curves, unit, x_name, top, last):
    """Lines of SVG of one unit; curves: (name, values, colour)."""
    at = [i for i, v in enumerate(x) if math.isfinite(v)]
    x, curves = [x[i] for i in at], [(n, [c[i] for i in at], colour) for n, c, colour in curves]
    values = [v for _, column, _ in curves for v in column if math.isfinite(v)]
    if not values:
        sys.exit("plot_csv.py: there is nothing to plot")
    (x0, x1), (y0, y1) = span(x), span(values)
    right, bottom = WIDTH - RIGHT, top + PANEL
    at_x = lambda v: LEFT + (v - x0) / (x1 - x0) * (right - LEFT)
    at_y = lambda v: bottom - (v - y0) / (y1 - y0) * PANEL
    out = []
    for v in ticks(y0, y1):
        out.append('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>' % (
            LEFT, at_y(v), right, at_y(v)))
        out.append('<text x="%d" y="%.1f" text-anchor="end">%g</text>' % (
            LEFT - 8, at_y(v) + 4, float("%.6g" % v)))
    for v in ticks(x0, x1):
        out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#eee"/>' % (
            at_x(v), top, at_x(v), bottom))
        if last:
            out.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (
                at_x(v), bottom + 18, float("%.6g" % v)))
    out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#999"/>' % (
        LEFT, top, right - LEFT, PANEL))
    out.append('<text x="%d" y="%d" font-weight="bold">%s</text>' % (
        LEFT, top - 8, escape(unit or "1")))
    for k, (name, column, colour) in enumerate(curves):
        points = " ".join("%.2f,%.2f" % (at_x(a), at_y(b)) for a, b in zip(x, column)
                          if math.isfinite(b))
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.6"/>' % (
            points, colour))
        if 16 * k < PANEL:
            out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (
                right + 12, top + 12 + 16 * k, colour, escape(name)))
    if last:
        out.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % (
            (LEFT + right) // 2, bottom + 38, escape(x_name)))
    return out


def draw(names, columns, ranks, title):
    groups = {}
    for i in ranks:
        groups.setdefault(split(names[i])[1], []).append(i)
    height = TOP + len(groups) * (PANEL + GAP) + 10
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % (WIDTH, height),
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="20" font-size="15">%s</text>' % (LEFT, escape(title))]
    for k, (unit, members) in enumerate(groups.items()):
        curves = [(split(names[i])[0], columns[i], COLOURS[c % len(COLOURS)])
                  for c, i in enumerate(members)]
        out += panel(columns[0], curves, unit, names[0], TOP + k * (PANEL + GAP) + 10,
                     k == len(groups) - 1)
    return "\n".join(out + ["</svg>", ""])


def main():
    words, title = sys.argv[1:], None
    if "--title" in words[:-1]:
        at = words.index("--title")
        title = words[at + 1]
        del words[at:at + 2]
    if len(words) < 2 or words[0].startswith("-"):
        sys.exit(__doc__)
    names, columns = read(words[0])
    if len(columns[0]) < 2:
        sys.exit("plot_csv.py: %s has fewer than two lines of numbers" % words[0])
    text = draw(names, columns, chosen(names, words[2:]), title or words[0])
    with open(words[1], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
