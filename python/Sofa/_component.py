# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers that are written in Python, and what all components written in Python share."""
import csofa

from ._data import Data, LinkPath, Own


class Sourced:
    """What scripts say of the place where they made an object, and its node."""

    def getOwner(self):
        return self.getContext()

    def setInstanciationSourceFileName(self, path):
        self._source_file = path

    def setInstanciationSourceFilePos(self, line):
        self._source_line = line

    def getInstanciationSourceFileName(self):
        return self.__dict__.get("_source_file", "")

    def getInstanciationSourceFilePos(self):
        return self.__dict__.get("_source_line", -1)


class BaseController(Sourced, csofa.Controller):
    """A component that events call; addData gives it values."""

    def __init__(self, *args, name=None, listening=True, **kwargs):
        if name is None and args and isinstance(args[0], str):
            name = args[0]
        csofa.Controller.__init__(self, name=name, listening=listening)
        self.__dict__.setdefault("_values", {})
        self._values["name"] = Own(self, "name", self._name, "name", "string")

    def addData(self, name, type="", value=None, help="", group="", default=None):
        data = Own(self, name, value if value is not None else default, help, type)
        self._values[name] = data
        return data

    def findData(self, name):
        return self._values.get(name)

    getData = findData

    def getDataFields(self):
        return dict(self._values)

    def _changed(self, data):
        if data.getName() == "name":
            self.__dict__["_name"] = str(data._value)

    def getPathName(self):
        node = self.getContext()
        return f"{node.getPathName().rstrip('/')}/{self._name}" if node is not None else self._name

    def getLinkPath(self):
        return LinkPath("@" + self.getPathName(), self)

    _link_text = getLinkPath
    linkpath = property(getLinkPath)

    def getRoot(self):
        return self.getContext().getRoot()

    def getClassName(self):
        return type(self).__name__

    def __getattr__(self, name):
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"'{type(self).__name__}' has no attribute and no data '{name}'")

    def __setattr__(self, name, value):
        values = self.__dict__.get("_values", {})
        if name in values and not isinstance(value, Data):
            values[name].value = value
        else:
            self.__dict__[name] = value


class Controller(BaseController):
    """A component that events call: onAnimateBeginEvent(event), ...; pictures call draw(visual)."""
