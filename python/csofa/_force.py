# SPDX-License-Identifier: LGPL-2.1-or-later
"""Force fields written in Python: what the library calls in a step."""
from ._call import Vector, add_entries, array_at, entries_of, guard
from ._library import ForceChangeFunction, ForceFunction, StiffnessFunction, lib
from ._values import widths


def _parameters(time=0.0, k=1.0, b=0.0):
    return {"time": time, "mFactor": 0.0, "bFactor": b, "kFactor": k, "isImplicit": True,
            "energy": False}


def connect(field, handle, state):
    """Lets an object ApplicationForceField call addForce, addDForce and addKToMatrix of `field`."""
    scene = handle._scene
    coord, deriv = widths(state)

    def call(function, *arguments):
        field._init_once()
        function(*arguments)

    def force(_user, n, x, v, time, f):
        return guard(scene, call, field.addForce, _parameters(time),
                     Vector(array_at(f, n, deriv, True)), Vector(array_at(x, n, coord)),
                     Vector(array_at(v, n, deriv)))

    def change(_user, n, _x, _v, factors, dx, df):
        return guard(scene, call, field.addDForce, _parameters(k=factors[0], b=factors[1]),
                     Vector(array_at(df, n, deriv, True)), Vector(array_at(dx, n, deriv)))

    def add_stiffness(n, matrix):
        entries = entries_of(field.addKToMatrix(_parameters(), n, deriv), (n * deriv, n * deriv),
                             "addKToMatrix")
        add_entries(lib.csofa_matrix_add, matrix, entries)

    def stiffness(_user, n, _x, matrix):
        return guard(scene, call, add_stiffness, n, matrix)

    functions = (ForceFunction(force),
                 ForceChangeFunction(change) if hasattr(field, "addDForce")
                 else ForceChangeFunction(),
                 StiffnessFunction(stiffness) if hasattr(field, "addKToMatrix")
                 else StiffnessFunction())
    scene._held.functions.append(functions)  # as long as the scene of the library
    scene._check(lib.csofa_set_force(scene._pointer(), handle._id, *functions, None))
