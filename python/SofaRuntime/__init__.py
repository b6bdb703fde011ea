# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plugins and paths."""
import csofa
from Sofa import Core, Helper


def importPlugin(name):
    """Loads a plugin; modules of SOFA that are built in need none. False: it was not found, which
    is a message."""
    try:
        Core.shared_context().load_plugin(name)
        return True
    except csofa.Error as error:
        for message in error.messages:
            Helper.msg_warning("SofaRuntime", message.text)
        return False


def init():
    pass


def auto_load_plugins():
    """Nothing: a scene names its plugins."""


class _Repository:
    def __init__(self, add):
        self._add = add

    def addFirstPath(self, path):
        self._add(Core.shared_context(), path)

    addLastPath = addFirstPath


PluginRepository = _Repository(csofa.Context.add_plugin_path)
DataRepository = _Repository(csofa.Context.add_data_path)


from ._timer import Timer  # noqa: E402, F401
