/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares of points in constant loads on faces, and the selection of elements between planes. */
#include "components/mechanicalload/faces.h"

SofaErr face_shares(const SofaForceField *ff, const SofaIndices *list, SofaElements faces,
                    SofaReals *share) {
  const unsigned n = faces.width;
  SofaContext *ctx = ff->object.ctx;
  const double *rest = load_rest(ff);
  const size_t n_points = load_n_points(ff);
  double area = 0;
  share->n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, share, n_points));
  for (size_t k = 0; k < list->n; k++) {
    const uint32_t face = list->data[k];
    const uint32_t *v = faces.v + (size_t)face * n;
    SOFA_TRY(sofa_check_element(&ff->object, n == 3 ? "triangle" : "quad", face, v, n, n_points));
    const double part = face_area(rest, 3, v, n) / n;
    for (unsigned c = 0; c < n; c++) share->data[v[c]] += part;
    area += part;
  }
  // points of a mapped state that the scene does not place are all at the origin
  if (list->n && !(area > 0))
    sofa_object_message(&ff->object, SOFA_WARNING,
                        "the loaded faces have no area at rest, hence no force: give the state "
                        "positions (a mapped state: applyRestPosition=\"1\" on its mapping)");
  return SOFA_OK;
}

double face_shares_energy(const SofaReals *share, const double *load, const double *x) {
  double energy = 0;
  for (size_t i = 0; i < share->n; i++) energy -= share->data[i] * sofa_vec3_dot(load, x + 3 * i);
  return energy;
}

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t face_open_edges(SofaElements faces) {
  uint64_t sum = 0;
  for (size_t f = 0; f < faces.n; f++)
    for (unsigned k = 0; k < faces.width; k++) {
      const uint64_t a = faces.v[f * faces.width + k];
      const uint64_t b = faces.v[f * faces.width + (k + 1) % faces.width];
      const uint64_t edge = mix(0x9e3779b97f4a7c15u + (a < b ? a << 32 | b : b << 32 | a));
      sum += a < b ? edge : 0 - edge;
    }
  return sum;
}

void face_add_shares(const SofaReals *share, const double *load, double *f) {
  for (size_t i = 0; i < share->n; i++) sofa_vec3_axpy(share->data[i], load, f + 3 * i);
}

/* Inlined with a constant deriv. */
static inline __attribute__((always_inline)) void add_products(const SofaTriangles *triangles,
                                                               const double *edges, double k,
                                                               const double *dx, double *df,
                                                               size_t deriv) {
  for (size_t t = 0; t < triangles->n; t++, edges += 9) {
    const uint32_t *v = triangles->data[t].v;
    double sum[3] = {0};
    for (int c = 0; c < 3; c++) {
      const double *e = edges + 3 * c, *d = dx + v[c] * deriv;
      sum[0] += e[1] * d[2] - e[2] * d[1];
      sum[1] += e[2] * d[0] - e[0] * d[2];
      sum[2] += e[0] * d[1] - e[1] * d[0];
    }
    for (int i = 0; i < 3; i++) sum[i] *= k;
    for (int c = 0; c < 3; c++) sofa_vec3_add(df + v[c] * deriv, sum, df + v[c] * deriv);
  }
}

void face_add_products(const SofaTriangles *triangles, const double *edges, double k,
                       const double *dx, double *df, size_t deriv) {
  if (deriv == 3) add_products(triangles, edges, k, dx, df, 3);
  else add_products(triangles, edges, k, dx, df, deriv);
}

void face_add_blocks(const SofaTriangles *triangles, const double *edges, double factor,
                     const SofaTangent *tangent, size_t deriv) {
  double wide[36] = {0};
  for (size_t t = 0; t < triangles->n; t++, edges += 9) {
    const uint32_t *v = triangles->data[t].v;
    for (size_t c = 0; c < 3; c++) {
      double edge[3], block[9];
      sofa_vec3_scale(factor, edges + 3 * c, edge);
      sofa_mat3_cross(edge, block);
      for (size_t e = 0; e < 9; e++) wide[e / 3 * deriv + e % 3] = block[e];
      for (int r = 0; r < 3; r++) sofa_tangent_add(tangent, 0, v[r], 0, v[c], wide);
    }
  }
}

SofaErr face_select(const SofaForceField *ff, const double *normal, double dmin, double dmax,
                    SofaElements elements, SofaIndices *list) {
  const double *rest = load_rest(ff);
  const size_t n_points = load_n_points(ff);
  if (dmin == dmax) return SOFA_OK;
  for (uint32_t e = 0; e < elements.n; e++) {
    bool inside = true;
    for (unsigned c = 0; c < elements.width && inside; c++) {
      const uint32_t i = elements.v[(size_t)e * elements.width + c];
      const double d = i < n_points ? sofa_vec3_dot(rest + 3 * (size_t)i, normal) : dmin;
      inside = dmin < d && d < dmax;
    }
    if (inside) SOFA_TRY(SOFA_APPEND(ff->object.ctx, list, &e));
  }
  return SOFA_OK;
}

/* ---- drawing ---- */

void face_draw(const SofaForceField *ff, const SofaDrawArgs *args, const SofaIndices *list,
               SofaElements faces, SofaRgba color) {
  const unsigned n = faces.width;
  const SofaState *state = ff->state[0];
  const size_t count = list ? list->n : faces.n;
  for (size_t k = 0; k < count; k++) {
    const size_t face = list ? list->data[k] : k;
    double corner[4][3];
    bool good = face < faces.n;
    for (unsigned i = 0; i < n && good; i++) {
      const uint32_t point = faces.v[n * face + i];
      good = point < state->position.n;
      if (good) sofa_state_point(state, point, corner[i]);
    }
    if (!good) continue;
    if (n == 3) sofa_draw_triangle(args->list, corner[0], corner[1], corner[2], color);
    else sofa_draw_quad(args->list, corner[0], corner[1], corner[2], corner[3], color);
  }
}

void face_draw_pressure(const SofaForceField *ff, const SofaDrawArgs *args,
                        const SofaTriangles *triangles, double pressure, double scale,
                        SofaRgba color) {
  const SofaState *state = ff->state[0];
  for (size_t t = 0; t < triangles->n; t++) {
    double corner[3][3], force[3];
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
      good = triangles->data[t].v[i] < state->position.n;
      if (good) sofa_state_point(state, triangles->data[t].v[i], corner[i]);
    }
    if (!good) continue;
    face_normal(corner[0], corner[1], corner[2], force);
    sofa_vec3_scale(pressure / 6, force, force);
    for (int i = 0; i < 3; i++)
      sofa_draw_force(args->list, (SofaStatePoint){state, triangles->data[t].v[i]}, force, 3, scale,
                      color);
  }
}
