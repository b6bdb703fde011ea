# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of scenes, drawn by the program without a display. They are kept in a folder for the next time."""
import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import tempfile

SIZE, LIMIT = "480x320", 60
NO_GL = "no pictures can be made"


def steps_of(scene, most=20):
    return min(scene.steps, most)


def fingerprint(site, scene, steps):
    """Of all that a picture depends on: the scene, the files beside it, the program."""
    found = hashlib.sha256(("%s %d %s" % (site.build_id, steps, SIZE)).encode())
    folder = os.path.join(site.project, os.path.dirname(scene.source))
    for name in [os.path.basename(scene.source)] + sorted(n for n in os.listdir(folder) if not n.endswith(".scn")):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found.update(file.read())
    return found.hexdigest()[:24]


def draw(site, scene, steps, out):
    """None, or why there is no picture."""
    libraries = os.path.join(os.path.dirname(os.path.dirname(site.program)), "lib", "csofa")
    path = ":".join([os.path.join(libraries, "plugins"), os.path.join(libraries, "optional")])
    environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1", CSOFA_PLUGIN_PATH=path)
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "picture.png")
        words = [site.program, "-g", "batch", "--hideProgressBar", "--noscenecheck", "-n", str(steps), "--size", SIZE,
                 "--screenshot", picture, os.path.join(site.project, scene.source)]
        try:
            done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "No picture: the scene takes more than %d s." % LIMIT
        if os.path.exists(picture):
            os.makedirs(os.path.dirname(out), exist_ok=True)
            shutil.move(picture, out)
            return None
        if NO_GL in done.stdout:
            return "No picture: this site was made on a machine without OpenGL."
        if 'expect="error"' in scene.text:
            return "No picture: the scene ends with an error, which its test expects."
        lines = [line for line in done.stdout.splitlines() if "error" in line]
        return "No picture: %s" % (lines[0].split("error: ")[-1] if lines else "the run failed.")


def one(site, scene, steps):
    place = "pictures/%s.png" % scene.name.replace("/", "_")
    kept = os.path.join(site.cache, fingerprint(site, scene, steps) + ".png")
    if not os.path.exists(kept):
        why = draw(site, scene, steps, kept)
        if why:
            return None, why
    target = os.path.join(site.out, place)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(kept, target)
    return place, ""


def all_of(site, scenes, jobs):
    """{source: (path in the site or None, why not)}"""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda scene: one(site, scene, site.picture_steps(scene)), scenes)
        return {scene.source: result for scene, result in zip(scenes, done)}
