/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the reals of fronts: double, or float where FRONT_SINGLE is defined, and the names of
 * what exists for both. */
#ifndef SOFA_NUMERICS_DIRECT_FRONT_REAL_H
#define SOFA_NUMERICS_DIRECT_FRONT_REAL_H

#ifdef FRONT_SINGLE
typedef float FrontReal;
#define FRONT_KERNELS sofa_front_single_kernels
#else
typedef double FrontReal;
#define FRONT_KERNELS sofa_front_kernels
#endif
/* The kernels of an instruction set. */
#define FRONT_JOINED(name, isa) name##_##isa
#define FRONT_JOIN(name, isa) FRONT_JOINED(name, isa)
#define FRONT_NAME(isa) FRONT_JOIN(FRONT_KERNELS, isa)

#endif
