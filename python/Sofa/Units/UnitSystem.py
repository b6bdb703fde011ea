# SPDX-License-Identifier: LGPL-2.1-or-later
"""Systems of units: they turn values with units into the numbers of a scene."""
import numpy as np

from .Core import DimensionnedValue, Unit
from .Definitions import kg, m, s


class UnitSystem:
    """UnitSystem(s, mm, g): one unit for each dimension. system(3 * kPa) or system(3, kPa) is a
    number; lists and arrays are converted entry by entry."""

    def __init__(self, *units, **named):
        self.units = {}
        for unit in (*units, *named.values()):
            self.setPrimaryUnit(unit)

    def setPrimaryUnit(self, unit):
        if not isinstance(unit, Unit) or list(unit.powers.values()) != [1]:
            raise TypeError(f"{unit} is not a multiple of one primary unit")
        name = next(iter(unit.powers))
        if name in self.units:
            raise ValueError(f"there are two units of {name}")
        self.units[name] = unit

    def convert(self, value, unit):
        """The number of a value in a unit."""
        ratio = unit.ratio
        for name, power in unit.powers.items():
            if name not in self.units:
                raise RuntimeError(f"the system of units has none of {name}")
            ratio /= self.units[name].ratio ** power
        return value * ratio

    def __call__(self, value, unit=None):
        if isinstance(value, np.ndarray):
            numbers = [self(entry, unit) for entry in value.flat]
            return np.array(numbers, dtype=float).reshape(value.shape)
        if isinstance(value, (list, tuple)):
            return [self(entry, unit) for entry in value]
        if unit is not None:
            return self.convert(value, unit)
        if not isinstance(value, DimensionnedValue):
            raise ValueError(f"{value!r} has no unit")
        return self.convert(value.value, value.unit)


class MechanicalUnitSystem(UnitSystem):
    """Units of time, length and mass."""

    def __init__(self, time=s, length=m, mass=kg):
        UnitSystem.__init__(self, time, length, mass)
