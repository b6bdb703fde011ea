/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Powers of t^2 in the functions of a beam's angle t; see beam_element.c. */
#ifndef SOFA_NUMERICS_FEM_BEAM_SERIES_H
#define SOFA_NUMERICS_FEM_BEAM_SERIES_H

enum { SOFA_BEAM_SERIES = 7 }; /* coefficients */

#define SOFA_BEAM_SINE_1 (1. / 6 / 4)
#define SOFA_BEAM_SINE_2 (7. / 360 / 16)
#define SOFA_BEAM_SINE_3 (31. / 15120 / 64)
#define SOFA_BEAM_SINE_4 (127. / 604800 / 256)
#define SOFA_BEAM_SINE_5 (73. / 3421440 / 1024)
#define SOFA_BEAM_SINE_6 (1414477. / 653837184000. / 4096)
/* p = (t/2) / sin(t/2) */
static const double beam_series_p[SOFA_BEAM_SERIES] = {1,
                                                       SOFA_BEAM_SINE_1,
                                                       SOFA_BEAM_SINE_2,
                                                       SOFA_BEAM_SINE_3,
                                                       SOFA_BEAM_SINE_4,
                                                       SOFA_BEAM_SINE_5,
                                                       SOFA_BEAM_SINE_6};
/* r = (1 - p) / t^2 */
static const double beam_series_r[SOFA_BEAM_SERIES] = {-SOFA_BEAM_SINE_1,
                                                       -SOFA_BEAM_SINE_2,
                                                       -SOFA_BEAM_SINE_3,
                                                       -SOFA_BEAM_SINE_4,
                                                       -SOFA_BEAM_SINE_5,
                                                       -SOFA_BEAM_SINE_6,
                                                       0};
/* e = tan(t/4) / (2 t) */
static const double beam_series_e[SOFA_BEAM_SERIES] = {1. / 8,
                                                       1. / 3 / 128,
                                                       2. / 15 / 2048,
                                                       17. / 315 / 32768,
                                                       62. / 2835 / 524288,
                                                       1382. / 155925 / 8388608,
                                                       21844. / 6081075 / 134217728};

#endif
