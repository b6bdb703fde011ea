/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglShaderVisualModel: an OglModel whose shader gets restPosition and restNormal per vertex and
 * the matrix modelMatrix. */

#include "components/visual/shader.h"
#include "math/vec.h"

/* (b - a) x (c - a), of length 1, is added to the normals of corners. */
static void add_face(OglShaderVisualModel *m, const uint32_t *corner, const uint32_t *from,
                     size_t n) {
  const SofaVec3s *x = &m->model.rest_position;
  double u[3], v[3], normal[3];
  if (corner[0] >= x->n || corner[1] >= x->n || corner[2] >= x->n) return;
  sofa_vec3_sub(x->data[corner[1]].v, x->data[corner[0]].v, u);
  sofa_vec3_sub(x->data[corner[2]].v, x->data[corner[0]].v, v);
  sofa_vec3_cross(u, v, normal);
  sofa_vec3_normalize(normal);
  for (size_t i = 0; i < n; i++)
    if (from[i] < x->n) sofa_vec3_axpy(1, normal, m->rest_normal.data[from[i]].v);
}

static SofaErr bwd_init(SofaObject *object) {
  OglShaderVisualModel *m = (OglShaderVisualModel *)object;
  OglModel *o = &m->model;
  const size_t n = o->state.position.n, had = o->rest_position.n;
  // points without a rest position rest where they are
  SOFA_TRY(SOFA_RESIZE(object->ctx, &o->rest_position, n));
  for (size_t i = had; i < n; i++)
    sofa_vec3_copy(o->state.position.data + 3 * i, o->rest_position.data[i].v);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->rest_normal, n));
  if (n) sofa_zero(m->rest_normal.data, n * sizeof *m->rest_normal.data);
  for (size_t i = 0; i < o->triangles.n; i++)
    add_face(m, o->triangles.data[i].v, o->triangles.data[i].v, 3);
  for (size_t i = 0; i < o->quads.n; i++)
    for (int k = 0; k < 4; k++) {
      const uint32_t *v = o->quads.data[i].v;
      const uint32_t corner[3] = {v[k], v[(k + 1) % 4], v[(k + 3) % 4]};
      add_face(m, corner, corner, 1);
    }
  for (size_t i = 0; i < n; i++) sofa_vec3_normalize(m->rest_normal.data[i].v);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((OglShaderVisualModel *)object)->rest_normal);
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(OglShaderVisualModel) = {
    SOFA_NAMED(OglShaderVisualModel),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "An OglModel that gives its shader restPosition and restNormal per vertex, and the "
            "matrix modelMatrix.",
    .base = &sofa_OglModel_class,
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
};
