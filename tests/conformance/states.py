# SPDX-License-Identifier: LGPL-2.1-or-later
"""State files of recorded runs, and the error of a result against a reference.

A state file is text, possibly gzip-compressed:

    step <int> time <real>
    state <path> n <points> dim <reals per position> vdim <reals per velocity>
    x <n*dim reals>
    v <n*vdim reals>

The error of a state in a frame is max|x - x_ref| / L, with L the largest of the extent of the
reference's first frame (largest side of the bounding box of the first three coordinates) and the
largest displacement of the reference since then; 1 if both are 0. A missing state or frame,
another size or a value that is not finite is an infinite error.
"""
import gzip
import math


def open_text(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt") if packed else open(path, "rt")


def read_states(path, steps=None):
    """{step: {state path: (dim, [x])}} of the wanted steps (None: all). Tolerates a cut-off end."""
    frames, frame, state, dim = {}, None, None, 0
    with open_text(path) as file:
        for line in file:
            word = line[:6]
            if word.startswith("step "):
                step = int(line.split()[1])
                frame = frames.setdefault(step, {}) if steps is None or step in steps else None
            elif frame is None:
                continue
            elif word == "state ":
                words = line.split()
                state, dim = " ".join(words[1:-6]), int(words[-3])
                frame[state] = (dim, [])
            elif word.startswith("x ") or word.strip() == "x":
                frame[state] = (dim, [float(text) for text in line.split()[1:]])
    return frames


def length_scale(first, reference):
    dim, x0 = first
    length = 0.0
    if dim and x0:
        for axis in range(min(dim, 3)):
            column = x0[axis::dim]
            length = max(length, max(column) - min(column))
    if len(x0) == len(reference[1]):
        for a, b in zip(reference[1], x0):
            length = max(length, abs(a - b))
    return length if length > 0 else 1.0


def state_error(first, reference, result):
    if result is None or len(reference[1]) != len(result[1]):
        return math.inf
    worst = 0.0
    for a, b in zip(reference[1], result[1]):
        if not math.isfinite(b):
            return math.inf
        worst = max(worst, abs(a - b))
    return worst / length_scale(first, reference)


def compare(reference_path, result_path, tolerances):
    """Worst (error / tolerance, step, state path, error) over the frames {step: tolerance}."""
    reference = read_states(reference_path, set(tolerances) | {0})
    result = read_states(result_path, set(tolerances))
    first = reference[min(reference)]
    worst = (0.0, None, None, 0.0)
    for step in sorted(tolerances):
        for path, state in reference[step].items():
            error = state_error(first.get(path, state), state, result.get(step, {}).get(path))
            if error / tolerances[step] > worst[0]:
                worst = (error / tolerances[step], step, path, error)
    return worst
