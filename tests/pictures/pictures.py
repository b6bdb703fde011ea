#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws scenes without a display and compares them with the stored pictures beside this file (see
compare_pictures.c for the measure). The software rasteriser and the built-in font are asked for, so
that machines agree. Where no OpenGL is, the tests print "skipped".

usage: pictures.py RUNCSOFA COMPARE [--update] [NAME...]"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
# (scene, steps)
SCENES = [
    ("visual/OglModel", 0), ("visual/VisualGrid", 0), ("visual/PositionalLight", 0),
    ("visual/SpotLight", 0), ("visual/DataDisplay", 1), ("visual/OglColorMap", 1),
    ("visual/VisualMesh", 1), ("visual/VisualPointCloud", 0), ("visual/VisualStyle", 0),
    ("visual/CylinderVisualModel", 40), ("visual/TrailRenderer", 50), ("visual/Visual3DText", 0),
    ("visual/LightManagerShadows", 0), ("visual/LightManagerSoftShadows", 0),
    ("visual/ClipPlane", 0), ("visual/OglViewport", 0), ("visual/MergeVisualModels", 10),
    ("visual/VisualTransform", 10), ("visual/OglShader", 0), ("visual/OglVariables", 0),
    ("visual/OrderIndependentTransparencyManager", 0), ("visual/OglRenderingSRGB", 0),
    ("visual/CompositingVisualLoop", 0), ("visual/PostProcessManager", 0),
    ("visual/OglModelSeams", 0), ("visual/OglModelTranslucent", 0), ("demo/hook", 30),
]


def draw(program, scene, steps, path, folder):
    environment = dict(os.environ, CSOFA_PLAIN_FONT="1", LIBGL_ALWAYS_SOFTWARE="1",
                       GALLIUM_DRIVER="llvmpipe")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    result = subprocess.run(
        [program, "-g", "batch", "-n", str(steps), "--hideProgressBar", "--size", "320x240",
         "--screenshot", path, os.path.join(PROJECT, "scenes", scene + ".scn")],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout.decode("utf-8", "replace")


def main(arguments):
    update = "--update" in arguments
    arguments = [os.path.abspath(a) if i < 2 else a
                 for i, a in enumerate(a for a in arguments if a != "--update")]
    program, compare, names = arguments[0], arguments[1], arguments[2:]
    bad, stored = 0, []
    with tempfile.TemporaryDirectory(prefix="csofa-pictures-") as folder:
        for scene, steps in SCENES:
            name = os.path.basename(scene)
            if names and name not in names:
                continue
            reference = os.path.join(HERE, name + ".png")
            path = reference if update else os.path.join(folder, name + ".png")
            status, text = draw(program, scene, steps, path, folder)
            if status and "no pictures can be made" in text:
                print("skipped: " + text.strip().splitlines()[0])
                return 77
            if status or not os.path.exists(path):
                print("%s: status %d\n%s" % (scene, status, text))
                bad += 1
                continue
            if update:
                continue
            stored.append(reference)
            result = subprocess.run([compare, reference, path], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
            print("%s: %s" % (scene, result.stdout.decode().strip()))
            bad += result.returncode != 0
    # the measure tells pictures apart
    for a, b in zip(stored, stored[1:]):
        if subprocess.run([compare, a, b], stdout=subprocess.DEVNULL).returncode != 1:
            print("%s and %s count as the same" % (a, b))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
