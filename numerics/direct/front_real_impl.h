/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the reals of fronts: double, or float where FRONT_SINGLE is defined, and the names of
 * what exists for both. */
#ifndef SOFA_NUMERICS_DIRECT_FRONT_REAL_H
#define SOFA_NUMERICS_DIRECT_FRONT_REAL_H

#ifdef FRONT_SINGLE
typedef float FrontReal;
#define FRONT_NAME_(name) name##_single
#else
typedef double FrontReal;
#define FRONT_NAME_(name) name
#endif
#define FRONT_NAME(name) FRONT_NAME_(name)

#endif
