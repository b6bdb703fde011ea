# SPDX-License-Identifier: LGPL-2.1-or-later
"""A validation case: a scene whose comment names a quantity and its value in the literature or in closed form.

    <!-- VALIDATION
      family: Nearly incompressible solids
      case: Cook's membrane, nu = 0.4999
      source: Simo and Armero 1992
      quantity: /membrane/state.position[24].y
      minus: 60                                    (value = (quantity - minus) * factor)
      factor: 1
      steps: 1                                     (one number, or one per level)
      refine: /membrane/grid.n=5 5 2 | 9 9 2       (a setting per level, or several with ';'; several lines)
      set: /membrane/FEM.poissonRatio=0.4999       (of all levels; several lines)
      options: --strict
      published: 7.8                               (or exact: for closed forms)
      tolerance: 2 %                               (of the last level; without % absolute)
      order: 2                                     (exact: only; least order is that less 0.2)
      size: 1 | 0.5 | 0.25                         (mesh size of the levels; default: halved)
      take: last                                   (or max, min, at QUANTITY = VALUE, turn 2: where the quantity turns
                                                    round the second time on its path)
      modes: 6                                     (the quantity is frequency[0] or factor[0])
    -->

`quantities: A | B` instead of `quantity:` names one per level."""
import csv
import math
import os
import re
import subprocess
import tempfile

COMMENT = re.compile(r"<!--\s*VALIDATION\s(.*?)-->", re.S)
ONE = ("family", "case", "source", "quantity", "quantities", "minus", "factor", "steps", "options", "published",
       "exact", "tolerance", "order", "size", "take", "modes", "buckling")
SEVERAL = ("refine", "set")
MARGIN = 0.2  # of an order of convergence
ROUNDING = 1e-8  # relative errors of all levels below are not those of a mesh or a step


class Wrong(Exception):
    """What a scene states cannot be used, or does not run."""


def parts(text):
    return [part.strip() for part in text.split("|")]


class Case:
    """What the comment of a scene says."""

    def __init__(self, path):
        self.path, self.name = path, os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            match = COMMENT.search(file.read())
        if not match:
            raise Wrong("%s has no comment VALIDATION" % path)
        self.lines = {key: [] for key in SEVERAL}
        for line in filter(None, map(str.strip, match.group(1).splitlines())):
            self._take(line)
        self._check()

    def _take(self, line):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key not in ONE + SEVERAL:
            raise Wrong("%s: '%s' is not a line of a validation case" % (self.path, line))
        if key in SEVERAL:
            self.lines[key].append(value)
        elif key in self.lines:
            raise Wrong("%s: '%s' is given twice" % (self.path, key))
        else:
            self.lines[key] = value

    def _check(self):
        for key in ("family", "case", "source", "tolerance"):
            if key not in self.lines:
                raise Wrong("%s: '%s' is missing" % (self.path, key))
        if ("published" in self.lines) == ("exact" in self.lines):
            raise Wrong("%s: either 'published' or 'exact'" % self.path)
        if ("quantity" in self.lines) == ("quantities" in self.lines):
            raise Wrong("%s: either 'quantity' or 'quantities'" % self.path)
        for line in self.lines["refine"]:
            if len(parts(line)) != self.n_levels:
                raise Wrong("%s: 'refine' lines of different lengths" % self.path)
        for key in ("quantities", "size", "steps"):
            if len(parts(self.lines.get(key, ""))) not in (1, self.n_levels):
                raise Wrong("%s: '%s' needs one part per level" % (self.path, key))

    @property
    def n_levels(self):
        if self.lines["refine"]:
            return len(parts(self.lines["refine"][0]))
        return max(len(parts(self.lines.get(key, ""))) for key in ("quantities", "steps"))

    def of_level(self, key, level, default):
        values = parts(self.lines.get(key, default))
        return values[level] if len(values) > 1 else values[0]

    @property
    def exact(self):
        return "exact" in self.lines

    @property
    def reference(self):
        return float(self.lines["exact"] if self.exact else self.lines["published"])

    @property
    def tolerance(self):
        """Absolute, in the unit of the value."""
        words = self.lines["tolerance"].split()
        return float(words[0]) / 100 * abs(self.reference) if words[1:] == ["%"] else float(words[0])

    def sizes(self):
        if "size" in self.lines:
            return [float(x) for x in parts(self.lines["size"])]
        return [0.5 ** level for level in range(self.n_levels)]

    def error(self, value):
        """Relative to the reference, absolute when that is 0."""
        return abs(value - self.reference) / (abs(self.reference) or 1)

    def settings(self, level):
        words = []
        for line in self.lines["set"]:
            words += ["--set", line]
        for line in self.lines["refine"]:
            first, now = (parts(line)[k].split(";") for k in (0, level))
            for one, other in zip(first, now):
                path, _, value = (other if "=" in other else one.partition("=")[0] + "=" + other).partition("=")
                words += ["--set", "%s=%s" % (path.strip(), value.strip())]
        return words


# ---- running ----

def run(program, case, words, folder):
    command = [program, "-g", "batch", "--hideProgressBar", "--threads", "1"]
    command += case.lines.get("options", "").split() + words + [os.path.abspath(case.path)]
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                            timeout=600)
    if result.returncode:
        text = result.stdout.decode("utf-8", "replace")
        raise Wrong("%s ends with status %d:\n%s" % (" ".join(command), result.returncode, text))


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    return rows[0], [[float(cell) if cell else math.nan for cell in row] for row in rows[1:]]


def crossing(rows, target):
    """The first column at the first step where the second passes the target, linear between steps."""
    for (a, x), (b, y) in zip(rows, rows[1:]):
        if min(x, y) <= target <= max(x, y) and x != y:
            return a + (b - a) * (target - x) / (y - x)
    raise Wrong("no step passes %g" % target)


def turn(rows, number):
    """The value where the first column turns round the given time: of the parabola through three steps."""
    for (a, *_), (b, *_), (c, *_) in zip(rows, rows[1:], rows[2:]):
        before, after = b - a, c - b
        number -= before * after < 0 or (before != 0 and after == 0)
        if number == 0:
            return b + (c - a) ** 2 / (8 * (before - after))
    raise Wrong("no step turns round that often")


def taken(case, rows):
    """One number of the recorded steps: [quantity, other]."""
    take = case.lines.get("take", "last")
    if take in ("max", "min"):
        return (max if take == "max" else min)(row[0] for row in rows)
    if take.startswith("at "):
        return crossing(rows, float(take.partition("=")[2]))
    if re.match(r"turn [1-9]\d*$", take):
        return turn(rows, int(take[5:]))
    if take != "last":
        raise Wrong("%s: take: last, max, min, turn NUMBER or at QUANTITY = VALUE" % case.path)
    return rows[-1][0]


def recorded(program, case, level, folder):
    take = case.lines.get("take", "last")
    words = case.settings(level) + ["-n", case.of_level("steps", level, "1"), "--record",
                                    case.of_level("quantities" if "quantities" in case.lines else "quantity",
                                                  level, "")]
    if take.startswith("at "):
        words += ["--record", take[3:].partition("=")[0].strip()]
    elif take == "last":
        words += ["--record-every", "0"]
    run(program, case, words, folder)
    names, rows = rows_of(os.path.join(folder, "record.csv"))
    # the first columns are the time and the number of the step
    if not rows or len(names) != (4 if take.startswith("at ") else 3):
        raise Wrong("%s: the quantity must be one number" % case.path)
    return taken(case, [row[2:] for row in rows])


def of_modes(program, case, level, folder, option):
    """Column and rank: frequency[0] of modes.csv, factor[0] of buckling.csv."""
    column, rank = re.match(r"(\w+)\[(\d+)\]$", case.of_level("quantity", level, "")).groups()
    words = case.settings(level) + ["-n", case.of_level("steps", level, "0"), "--" + option, case.lines[option]]
    run(program, case, words, folder)
    names, rows = rows_of(os.path.join(folder, option + ".csv"))
    return rows[int(rank)][[name.split(" ")[0] for name in names].index(column)]


def value(program, case, level):
    """The value of a level."""
    with tempfile.TemporaryDirectory() as folder:
        options = [key for key in ("modes", "buckling") if key in case.lines]
        if options:
            x = of_modes(program, case, level, folder, options[0])
        else:
            x = recorded(program, case, level, folder)
    return (x - float(case.lines.get("minus", "0"))) * float(case.lines.get("factor", "1"))


def is_rounding(case, values):
    """Is there no error but that of rounding and of the solver's tolerance, in any mesh or step?"""
    return case.exact and max(case.error(x) for x in values) < ROUNDING


def order(case, values):
    """Order between the last two levels, None where it cannot be told."""
    h, errors = case.sizes(), [case.error(x) for x in values]
    if not case.exact or len(values) < 2 or is_rounding(case, values) or min(errors[-2:]) <= 0:
        return None
    return math.log(errors[-2] / errors[-1]) / math.log(h[-2] / h[-1])


def order_of_differences(case, values):
    """Order of the differences between the last three levels, whose sizes have one ratio; None where it cannot be
    told: they do not fall, or change their sign."""
    h = case.sizes()[-3:]
    if len(values) < 3 or abs(h[0] * h[2] - h[1] * h[1]) > 1e-3 * h[1] * h[1]:
        return None
    first, last = values[-2] - values[-3], values[-1] - values[-2]
    return math.log(first / last) / math.log(h[0] / h[1]) if last and first / last > 1 else None


def complaint(case, values):
    """What is wrong with the values, or None."""
    if not abs(values[-1] - case.reference) <= case.tolerance:
        return "%.10g is not %.10g within %.3g" % (values[-1], case.reference, case.tolerance)
    if "order" not in case.lines:
        return None
    found = order(case, values)
    if found is None or not found >= float(case.lines["order"]) - MARGIN:
        return "order %s, expected %s" % ("%.2f" % found if found is not None else "unknown", case.lines["order"])
    return None
