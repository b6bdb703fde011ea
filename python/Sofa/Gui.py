# SPDX-License-Identifier: LGPL-2.1-or-later
"""There is no window from Python: the main loop makes steps. The window of csofa is opened by
`runcsofa -g imgui scene.py`."""
import os

import csofa

_log_once = []


def n_steps():
    """Steps of the main loop: CSOFA_PYTHON_STEPS, or 100."""
    return int(os.environ.get("CSOFA_PYTHON_STEPS", "100"))


class GUIManager:
    @staticmethod
    def Init(program="", gui=""):
        return 0

    @staticmethod
    def createGUI(root=None, file="", *_):
        return 0

    @staticmethod
    def SetDimension(width, height):
        pass

    @staticmethod
    def SetFullScreen(*_):
        pass

    @staticmethod
    def ListSupportedGUI(separator=","):
        return "batch"

    @staticmethod
    def GetGUI(*_):
        return None

    @staticmethod
    def MainLoop(root, *_):
        """Makes the steps of n_steps()."""
        if not _log_once:
            _log_once.append(True)
            csofa.log_message(csofa.Message(
                csofa.WARNING, f"there is no window from Python: MainLoop makes {n_steps()} steps "
                "(CSOFA_PYTHON_STEPS changes it); 'runcsofa -g imgui scene.py' opens the window",
                emitter="Sofa.Gui"))
        root._scene.step(n_steps())

    @staticmethod
    def closeGUI():
        pass

    @staticmethod
    def SaveScreenshot(*_):
        raise csofa.Error("pictures from Python are not supported yet: runcsofa --screenshot", 9)
