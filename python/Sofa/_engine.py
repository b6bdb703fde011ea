# SPDX-License-Identifier: LGPL-2.1-or-later
"""Engines written in Python: objects ApplicationEngine with the inputs and outputs as fields."""
import numpy as np

from csofa import _values

from ._component import BaseController
from ._data import Field

# names of SofaPython3 and of the library
_TYPES = {"int": "int", "bool": "bool", "string": "string", "float": "real", "double": "real",
          "vector<int>": "ints", "vector<float>": "reals", "vector<double>": "reals",
          "Vec3d": "vec3", "Vec3d::VecCoord": "vec3s", "vector<Vec3d>": "vec3s",
          "vector<Vec3>": "vec3s"}


def _type_of(data):
    """The library's type of a value of Python; None: it has none."""
    if data.typeName() in _TYPES:
        return _TYPES[data.typeName()]
    value = data.value
    if data.typeName() or value is None or isinstance(value, str):
        return "string" if isinstance(value, str) and not data.typeName() else None
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    kind = {"b": "bool", "i": "int", "u": "int", "f": "real"}.get(array.dtype.kind)
    if array.ndim == 2 and array.shape[1] == 3 and kind in ("int", "real"):
        return "vec3s"
    if array.ndim == 1 and kind in ("int", "real"):
        return kind + "s" if len(array) else None
    return kind if array.ndim == 0 else None


class _Output(Field):
    """An output. Until the library calls the engine, at the initialisation of the scene, update()
    runs for Python alone, and the value is one of Python."""

    def __init__(self, engine, data):
        Field.__init__(self, engine._object, data.getName())
        self._engine, self._data = engine, data

    def _get(self):
        return Field._get(self) if self._engine._live else self._data._get()

    def _set(self, value):
        if self._engine._live:
            Field._set(self, value)
        else:
            self._data._set(value)

    def writeable(self):
        return Field.writeable(self) if self._engine._live else self._data.writeable()


class DataEngine(BaseController):
    """Outputs from inputs: update() is called before an output is read after an input has changed.
    Fields of components link to the outputs ("@/engine.output"). Data of a type that the library
    does not have stay values of Python; then nothing can be linked to the engine."""

    def __init__(self, *args, **kwargs):
        BaseController.__init__(self, *args, **kwargs)
        self.__dict__.update(_seen=None, _inputs=[], _outputs=[], _running=False,
                             _object=None, _live=False)

    def addInput(self, data):
        self._inputs.append(data)

    def addOutput(self, data):
        data._engine = self
        self._outputs.append(data)

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

    def _enter(self, node):
        BaseController._enter(self, node)
        types = {data.getName(): _type_of(data) for data in self._inputs + self._outputs}
        if types and all(types.values()):
            self._make(node, types)
        return self

    def _make(self, node, types):
        """The engine of the library; its fields take the place of the values of Python."""
        rows = [f"{data.getName()}:{types[data.getName()]}:{way}"
                for way, several in (("in", self._inputs), ("out", self._outputs))
                for data in several]
        self.__dict__["_object"] = node.add_object("ApplicationEngine", name=self._name, data=rows)
        for data in self._inputs:
            if data._value is not None:
                self._object.set(data.getName(), data._value)
            self._values[data.getName()] = Field(self._object, data.getName())
        for data in self._outputs:
            self._values[data.getName()] = _Output(self, data)
        self._inputs[:] = [self._values[data.getName()] for data in self._inputs]
        self._connect()

    def _connect(self):
        self._object.set_engine(self._update_once)

    def _update_once(self):
        self.__dict__["_live"] = True
        self._init_once()
        self.update()
