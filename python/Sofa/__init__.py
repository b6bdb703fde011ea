# SPDX-License-Identifier: LGPL-2.1-or-later
"""The names of SofaPython3, for scripts that were written for it. docs/python.md has the list."""
import importlib
import sys
import types

from . import Core, Helper, Simulation, Types
from .Core import (BaseController, BaseObject, Controller, Data, DataEngine, ForceField, Node,
                   Object)

__all__ = ["Core", "Helper", "Simulation", "Types", "BaseController", "BaseObject", "Controller",
           "Data", "DataEngine", "ForceField", "Node", "Object"]
# modules of SofaPython3 that add functions to classes: these are there without an import
_BINDINGS = ("SofaBaseTopology", "SofaConstraintSolver", "SofaLinearSolver", "SofaLinearSystem")
for _name in _BINDINGS:
    sys.modules[f"Sofa.{_name}"] = globals()[_name] = types.ModuleType(f"Sofa.{_name}")


def __getattr__(name):
    if name in ("Gui", "SofaDeformable", "SofaFEM", "Units", "constants"):
        return importlib.import_module(f"Sofa.{name}")
    raise AttributeError(f"module 'Sofa' has no attribute '{name}'")
