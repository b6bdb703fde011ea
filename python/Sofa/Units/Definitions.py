# SPDX-License-Identifier: LGPL-2.1-or-later
"""The units of the SI, and multiples of them: m, mm, kPa, ..."""
from .Core import NeutralUnit, PrimaryUnit, ScaledUnit

DimensionLess = NeutralUnit()
s, m, kg, A, K, mol, cd = (PrimaryUnit(name) for name in ("s", "m", "kg", "A", "K", "mol", "cd"))

Hz = s ** -1
v = m / s
a = v / s
N = kg * a
Pa = N / m ** 2
J = N * m
tau = N * m
W = J / s
C = A * s
V = J / C
ohm = V / A
S = ohm ** -1
H = ohm * s
F = C / V
Wb = V * s
T = Wb / m ** 2

g = ScaledUnit(kg, 1e-3)
t = ScaledUnit(kg, 1e3)
_PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9}
_MULTIPLES = {"m": "nµmcdk", "s": "nµm", "g": "µm", "N": "nµmcdkMG", "Pa": "nµmcdkMG",
              "J": "mcdkMG", "W": "mcdkMG", "Hz": "kMG"}
for _name, _prefixes in _MULTIPLES.items():
    for _prefix in _prefixes:
        # Python reads a name with the sign of micro as one with the letter mu
        globals()[(_prefix + _name).replace("µ", "μ")] = ScaledUnit(globals()[_name],
                                                                    _PREFIXES[_prefix])
