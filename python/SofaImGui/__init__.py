# SPDX-License-Identifier: LGPL-2.1-or-later
"""A plugin of SOFA with a window. Nothing: Sofa.Gui says what to do instead."""
