/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projection of the dilatation of solid elements on few functions. */
#include "numerics/material/dilatation_impl.h"

#include <math.h>

enum { GAUSS = SOFA_SOLID_MAX_GAUSS, MODES = SOFA_SOLID_MAX_MODES };

/* Modes of an element and volumes of its points. */
typedef struct Modes {
  double m[GAUSS][MODES], w[GAUSS];
} Modes;

static void modes_of(const SofaSolidBatch *b, size_t group, size_t l, Modes *out) {
  for (size_t q = 0; q < b->n_gauss; q++) {
    const size_t at = b->n_gauss * group + q;
    out->w[q] = b->volume[at][l];
    for (size_t a = 0; a < b->n_modes; a++) out->m[q][a] = b->mode[b->n_modes * at + a][l];
  }
}

static double product(const Modes *m, size_t n_gauss, size_t a, size_t c) {
  double sum = 0;
  for (size_t q = 0; q < n_gauss; q++) sum += m->w[q] * m->m[q][a] * m->m[q][c];
  return sum;
}

/* 1, x, y, z, each made orthogonal to those before it (Gram and Schmidt). */
void sofa_dilatation_modes(SofaSolidBatch *b, const SofaQuadraturePoint *rule, size_t lane) {
  const size_t group = lane / SOFA_LANES, l = lane % SOFA_LANES, n = b->n_gauss;
  Modes modes = {.w = {0}}; // gcc cannot see that n > 0
  if (lane >= b->n) return;
  for (size_t q = 0; q < n; q++) modes.w[q] = b->volume[n * group + q][l];
  for (size_t a = 0; a < b->n_modes; a++) {
    for (size_t q = 0; q < n; q++) modes.m[q][a] = a ? rule[q].xi[a - 1] : 1;
    for (size_t c = 0; c < a; c++) {
      const double part = product(&modes, n, a, c);
      for (size_t q = 0; q < n; q++) modes.m[q][a] -= part * modes.m[q][c];
    }
    const double size = sqrt(product(&modes, n, a, a));
    for (size_t q = 0; q < n; q++) {
      modes.m[q][a] /= size;
      b->mode[b->n_modes * (n * group + q) + a][l] = modes.m[q][a];
    }
  }
}

/* J~ at the points from J; false where it is not positive. */
static bool project(const SofaSolidBatch *b, const Modes *modes, const double *j, double *out) {
  double part[MODES] = {0};
  for (size_t q = 0; q < b->n_gauss; q++)
    for (size_t a = 0; a < b->n_modes; a++) part[a] += modes->w[q] * modes->m[q][a] * j[q];
  bool positive = true;
  for (size_t q = 0; q < b->n_gauss; q++) {
    out[q] = 0;
    for (size_t a = 0; a < b->n_modes; a++) out[q] += part[a] * modes->m[q][a];
    positive &= out[q] > 0;
  }
  return positive;
}

/* The response of one lane; H goes to its column of `moduli`. */
static bool project_lane(const SofaSolidBatch *b, const SofaSolidLaw *law, const Modes *modes,
                         size_t l, SofaSolidResponse *r, double (*moduli)[SOFA_LANES]) {
  double j[GAUSS], projected[GAUSS], u[3], part[MODES] = {0};
  for (size_t q = 0; q < b->n_gauss; q++) j[q] = r[q][3][l];
  if (!project(b, modes, j, projected)) return false;
  for (size_t q = 0; q < b->n_gauss; q++) {
    law->material->dilatation(law->p, projected[q], u);
    for (size_t a = 0; a < b->n_modes; a++) {
      part[a] += modes->w[q] * modes->m[q][a] * u[1];
      for (size_t c = 0; moduli && c < b->n_modes; c++)
        moduli[b->n_modes * a + c][l] += modes->w[q] * modes->m[q][a] * modes->m[q][c] * u[2];
    }
  }
  for (size_t q = 0; q < b->n_gauss; q++) {
    double pressure = 0;
    for (size_t a = 0; a < b->n_modes; a++) pressure += part[a] * modes->m[q][a];
    law->material->dilatation(law->p, j[q], u);
    r[q][1][l] += (pressure - u[1]) * j[q];
    r[q][2][l] += (pressure - u[1] - j[q] * u[2]) * j[q];
  }
  return true;
}

size_t sofa_dilatation_project(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t group,
                               size_t count, SofaSolidResponse *r, SofaDilatationModuli moduli) {
  if (b->corners.stars.n) {
    sofa_corners_project(b, law, group, count, r);
    return count;
  }
  if (moduli) sofa_zero(moduli, sizeof(SofaDilatationModuli));
  for (size_t l = 0; l < count; l++) {
    Modes modes;
    modes_of(b, group, l, &modes);
    if (!project_lane(b, law, &modes, l, r, moduli)) return l;
  }
  return count;
}

bool sofa_dilatation_energy(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t element,
                            const double *j, double *energy) {
  Modes modes;
  double projected[GAUSS];
  if (b->corners.stars.n) {
    *energy = sofa_corners_energy(b, law, element, j);
    return true;
  }
  modes_of(b, element / SOFA_LANES, element % SOFA_LANES, &modes);
  *energy = 0;
  if (!project(b, &modes, j, projected)) return false;
  for (size_t q = 0; q < b->n_gauss; q++) {
    double own[3], other[3];
    law->material->dilatation(law->p, projected[q], other);
    law->material->dilatation(law->p, j[q], own);
    *energy += modes.w[q] * (other[0] - own[0]);
  }
  return true;
}

bool sofa_dilatation_pressure(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t element,
                              const double *j, double *change) {
  Modes modes;
  double projected[GAUSS], u[3], part[MODES] = {0};
  if (b->corners.stars.n) {
    sofa_corners_pressure(b, law, element, j, change);
    return true;
  }
  modes_of(b, element / SOFA_LANES, element % SOFA_LANES, &modes);
  if (!project(b, &modes, j, projected)) return false;
  for (size_t q = 0; q < b->n_gauss; q++) {
    law->material->dilatation(law->p, projected[q], u);
    for (size_t a = 0; a < b->n_modes; a++) part[a] += modes.w[q] * modes.m[q][a] * u[1];
  }
  for (size_t q = 0; q < b->n_gauss; q++) {
    law->material->dilatation(law->p, j[q], u);
    change[q] = -u[1];
    for (size_t a = 0; a < b->n_modes; a++) change[q] += part[a] * modes.m[q][a];
  }
  return true;
}
