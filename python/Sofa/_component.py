# SPDX-License-Identifier: LGPL-2.1-or-later
"""Components that are written in Python."""
import csofa
from csofa import _values
from csofa._force import connect

from ._data import Data, Own


class BaseController(csofa.Controller):
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
        return "@" + self.getPathName()

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
    pass


class DataEngine(BaseController):
    """Outputs from inputs: update() is called before an output is read after an input has changed.
    Fields of components of the library cannot be linked to its outputs yet."""

    def __init__(self, *args, **kwargs):
        BaseController.__init__(self, *args, **kwargs)
        self.__dict__.update(_seen=None, _inputs=[], _running=False)

    def addInput(self, data):
        self._inputs.append(data)

    def addOutput(self, data):
        data._engine = self

    def addData(self, name, type="", value=None, help="", group="", default=None):
        data = BaseController.addData(self, name, type, value, help, group, default)
        if group in ("Input", "Inputs"):
            self.addInput(data)
        if group in ("Output", "Outputs"):
            self.addOutput(data)
        return data

    def update(self):
        pass

    def _refresh(self):
        if self._running:
            return
        now = [_values.to_text(data.value) for data in self._inputs]
        if now != self._seen:
            self._seen, self._running = now, True
            try:
                self.update()
            finally:
                self._running = False


class _Mechanical(BaseController):
    """A component whose functions the solver would call."""

    _what = "components"

    def _enter(self, node):
        raise csofa.Error(f"{self._what} written in Python are not supported yet: the library has "
                          f"no callbacks for them ({type(self).__name__} '{self._name}')", 9)


class ForceField(BaseController):
    """addForce(params, f, x, v) adds forces to f; addDForce(params, df, dx) adds
    params["kFactor"] dF/dx dx + params["bFactor"] dF/dv dx; addKToMatrix(params, n, d) returns rows
    of (row, column, value) of dF/dx, or a matrix; without it a solver that needs one has it made
    of addDForce. The arguments are valid during the call."""

    def __init__(self, *args, template="", **kwargs):
        BaseController.__init__(self, *args, **kwargs)
        self.__dict__.update(_template=template, _object=None)
        self.listening = False

    def addForce(self, params, f, x, v):
        raise NotImplementedError(f"{type(self).__name__} has no addForce")

    def _enter(self, node):
        state = node.getMechanicalState()
        if state is None:
            raise ValueError(f"{self!r}: there is no mechanical state in {node!r}")
        wanted = {"template": self._template} if self._template else {}
        self.__dict__["_object"] = node.add_object("ApplicationForceField", name=self._name,
                                                   **wanted)
        BaseController._enter(self, node)
        connect(self, self._object, state)
        return self

    @property
    def mstate(self):
        return self.getContext().getMechanicalState()


class Mass(_Mechanical):
    _what = "masses"


class Mapping(_Mechanical):
    _what = "mappings"


def __getattr__(name):
    """ForceFieldVec3d, Mapping_Vec3d_Vec3d, ...: one class for all kinds of state."""
    for prefix, kind in (("ForceField", ForceField), ("Mapping_", Mapping), ("Mass", Mass)):
        if name.startswith(prefix):
            return kind
    raise AttributeError(f"module 'Sofa.Core' has no attribute '{name}'")
