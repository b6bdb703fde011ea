#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws load over displacement of the cases scenes/validation/path_*.scn, and their references where load or displacement
turn round. usage: paths.py RUNCSOFA OUT.svg"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import case as cases  # noqa: E402
import chart  # noqa: E402

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenes", "validation")
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 300, 56, 40, 30
# name, title, place of the point, setting of the mesh, steps, what is left of the path
PANELS = (("lee", "Lee's frame", "/frame/path.loadFactor", "/frame/state.position[24].y", 120,
           "/frame/mesh.filename=lee_40.obj;/frame/path.increment=10", 110, 21),
          ("arch", "deep arch", "/arch/path.loadFactor", "/arch/state.position[20].y", 100,
           "/arch/mesh.filename=arch_40.obj;/arch/path.increment=28", 110, 1100),
          ("roof", "hinged roof, 6.35", "/shell/path.loadFactor", "/shell/state.position[0].z", 2540,
           "/shell/mesh.filename=hinged_8.obj", 110, 700))


def path_of(program, panel, folder):
    """Rows (displacement, load)."""
    name, _, load, place, origin, settings, steps, most = panel
    case = cases.Case(os.path.join(SCENES, "path_%s_limit.scn" % name))
    words = ["-n", str(steps), "--record", load, "--record", place]
    for setting in settings.split(";"):
        words += ["--set", setting]
    cases.run(program, case, words, folder)
    _, rows = cases.rows_of(os.path.join(folder, "record.csv"))
    return [(origin - row[3], row[2]) for row in rows if row[2] <= most]


def references(name):
    """(is a load, value)."""
    for end in ("limit", "farthest", "back", "lower"):
        case = cases.Case(os.path.join(SCENES, "path_%s_%s.scn" % (name, end)))
        yield end in ("limit", "lower"), case.reference


def draw_panel(left, title, rows, marks):
    low, high = min(p for _, p in rows), max(p for _, p in rows)
    most = max(u for u, _ in rows)

    def x(u):
        return left + (WIDTH - LEFT) * u / most

    def y(p):
        return TOP + (HEIGHT - TOP - 50) * (high - p) / (high - low)
    out = [chart.text(left, 22, title, more=' font-weight="bold"'),
           '<path d="M%.1f %.1fH%.1f" stroke="#999"/>' % (left, y(0), x(most)),
           chart.text(left - 6, y(high) + 4, "%.3g" % high, "end"), chart.text(left - 6, y(low) + 4, "%.3g" % low, "end"),
           chart.text(left - 6, y(0) + 4, "0", "end"), chart.text(x(most), y(0) - 5, "%.3g" % most, "end")]
    out.append('<path d="M%s" fill="none" stroke="%s" stroke-width="2"/>'
               % ("L".join("%.1f %.1f" % (x(u), y(p)) for u, p in rows), chart.COLOURS[0]))
    for is_load, value in marks:
        line = "M%.1f %.1fH%.1f" % (left, y(value), x(most)) if is_load else "M%.1f %.1fV%.1f" % (x(value), TOP, y(low))
        out.append('<path d="%s" stroke="%s" stroke-dasharray="5 4"/>' % (line, chart.COLOURS[1]))
    return out


def main(program, path):
    width = len(PANELS) * (WIDTH + GAP) + LEFT
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">'
           % (width, HEIGHT), '<rect width="100%" height="100%" fill="white"/>']
    for k, panel in enumerate(PANELS):
        with tempfile.TemporaryDirectory() as folder:
            rows = path_of(os.path.abspath(program), panel, folder)
        out += draw_panel(LEFT + k * (WIDTH + GAP), panel[1], rows, list(references(panel[0])))
    out.append(chart.text(LEFT, HEIGHT - 10, "load over displacement; dashed: the references of its turns"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
