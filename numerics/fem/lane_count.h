/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many elements stand side by side where they are stored in groups. */
#ifndef SOFA_NUMERICS_FEM_LANE_COUNT_H
#define SOFA_NUMERICS_FEM_LANE_COUNT_H

/* Of every instruction set: a register has as many doubles or a divisor of it. */
enum { SOFA_LANES = 8 };

#endif
