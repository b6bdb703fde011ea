# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values with units, for scenes in units of their own:

    from Sofa.Units.Definitions import s, mm, g, N, kPa
    from Sofa.Units.UnitSystem import MechanicalUnitSystem
    unit = MechanicalUnitSystem(s, mm, g)
    unit(3 * kPa)          # 3 kPa in the unit of pressure of this system, g / (mm s^2)
    unit(3, kPa)           # the same"""
