# SPDX-License-Identifier: LGPL-2.1-or-later
"""Force fields and mappings that are written in Python."""
import csofa
from csofa._force import connect

from ._component import BaseController
from ._data import LinkPath


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
        self._connect()
        return self

    def _connect(self):
        connect(self, self._object, self.mstate)

    @property
    def mstate(self):
        return self.getContext().getMechanicalState()


class Mass(BaseController):
    """As in SofaPython3, a name for masses of the library: it has no functions to write."""

    def _enter(self, node):
        raise csofa.Error("masses are not written in Python, as SofaPython3 has no functions for "
                          f"them ({type(self).__name__} '{self._name}')", 9)


class Mapping(BaseController):
    """apply(params, x_out, x_in) sets positions. The library needs the Jacobian J at x_in:
    jacobian(params, x_in) returns rows of (row, column, value), or a scipy matrix; without it J is
    made of applyJ(params, v_out, v_in), which sets v_out = J v_in, by unit vectors, else of
    applyJT(params, f_in, f_out). input, output: states; usually those of the node above and of its
    own node."""

    def __init__(self, *args, input=None, output=None, **kwargs):
        BaseController.__init__(self, *args, **kwargs)
        self.__dict__.update(_ends=(input, output), _object=None)
        self.listening = False

    def apply(self, params, x_out, x_in):
        raise NotImplementedError(f"{type(self).__name__} has no apply")

    def _enter(self, node):
        if not any(hasattr(self, name) for name in ("jacobian", "applyJ", "applyJT")):
            raise ValueError(f"{self!r} has none of jacobian, applyJ and applyJT")
        above = node.parents[0] if node.parents else node
        ends = (self._state(self._ends[0], above), self._state(self._ends[1], node))
        self.__dict__["_states"] = ends
        self.__dict__["_object"] = node.add_object(
            "ApplicationMapping", name=self._name, input=ends[0].getLinkPath(),
            output=ends[1].getLinkPath(), template=",".join(e.getTemplateName() for e in ends))
        BaseController._enter(self, node)
        self._connect()
        return self

    def _state(self, end, node):
        if isinstance(end, LinkPath):
            return end.target()
        state = node.find(end) if isinstance(end, str) else end or node.getMechanicalState()
        if state is None:
            raise ValueError(f"{self!r}: there is no mechanical state in {node!r}")
        return state

    def _connect(self):
        self._object.set_mapping(self, *self._states)


def __getattr__(name):
    """ForceFieldVec3d, Mapping_Vec3d_Vec3d, ...: one class for all kinds of state."""
    for prefix, kind in (("ForceField", ForceField), ("Mapping_", Mapping), ("Mass", Mass)):
        if name.startswith(prefix):
            return kind
    raise AttributeError(f"module 'Sofa.Core' has no attribute '{name}'")
