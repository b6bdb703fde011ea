# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions that run a scene."""
import csofa

from . import Core


def initRoot(root):
    root._scene.init()


def init(node):
    node._scene.init()


def animate(root, dt=0):
    """One step; dt 0: the root's."""
    animateNSteps(root, 1, dt)


def animateNSteps(root, n_steps=1, dt=0):
    scene = root._scene
    usual = scene.dt
    if dt and dt != usual:
        scene.dt = dt
    try:
        scene.step(n_steps)
    finally:
        if scene.dt != usual:
            scene.dt = usual


def reset(root):
    root._scene.reset()


def load(path):
    """The root of a scene file."""
    return Core.root_of(csofa.load(path, Core.shared_context()))


def unload(root):
    root._scene.close()


def print(root):  # the name of SofaPython3
    import builtins
    builtins.print(root._scene.xml())


def updateVisual(root):
    """Visual models are updated by each step."""


def initVisual(root):
    """Nothing: there are no textures."""


def initTextures(root):
    """Nothing: there are no textures."""


def getTime(root):
    return root._scene.time


class SceneCheck:
    """A check of scenes; the library makes all of them when it initialises a scene."""

    def __init__(self, name, text):
        self._name, self._text = name, text

    def getName(self):
        return self._name

    def getDesc(self):
        return self._text


class SceneCheckMainRegistry:
    @staticmethod
    def getRegisteredSceneChecks():
        return [SceneCheck("SceneCheckDuplicatedName",
                           "objects of a node have different names"),
                SceneCheck("SceneCheckMissingRequiredPlugin",
                           "a RequiredPlugin names each module that is used, for SOFA"),
                SceneCheck("SceneCheckCharacters", "paths can hold the names"),
                SceneCheck("SceneCheckMapping", "a mapping has a state to map to"),
                SceneCheck("SceneCheckAlias", "components have their present names")]
