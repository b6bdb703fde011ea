/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms a mesh and adds the elements and normals that loaders derive from it. */
#include "topology/mesh_finish.h"

#include <string.h>
#include "topology/tuple_map.h"
#include "math/quaternion.h"

void sofa_mesh_matrix(const SofaVec3 *translation, const SofaVec3 *rotation, const SofaVec3 *scale,
                      SofaMat4 *out) {
  double q[4], r[9];
  sofa_quat_from_euler_degrees(rotation->v, q);
  sofa_quat_to_matrix(q, r);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out->m[4 * i + j] = r[3 * i + j] * scale->v[j];
    out->m[4 * i + 3] = translation->v[i];
  }
  out->m[15] = 1;
}

bool sofa_mat4_is_identity(const SofaMat4 *m) {
  for (int i = 0; i < 16; i++)
    if (m->m[i] != (i % 5 == 0 ? 1.0 : 0.0)) return false;
  return true;
}

void sofa_mesh_transform(SofaVec3s *position, const SofaMat4 *m) {
  for (size_t i = 0; i < position->n; i++) {
    const double *p = position->data[i].v;
    SofaVec3 q;
    for (int k = 0; k < 3; k++) {
      const double *row = m->m + 4 * k;
      q.v[k] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
    }
    position->data[i] = q;
  }
}

bool sofa_mesh_matrix_inverse(const SofaMat4 *m, SofaMat4 *out) {
  const double *a = m->m;
  const double det = a[0] * a[5] * a[10] + a[4] * a[9] * a[2] + a[8] * a[1] * a[6] -
                     a[0] * a[9] * a[6] - a[4] * a[1] * a[10] - a[8] * a[5] * a[2];
  if (!(det < 0 || det > 0)) return false;
  *out = (SofaMat4){.m[15] = 1};
  for (int i = 0; i < 3; i++) {
    const int p = (i + 1) % 3, q = (i + 2) % 3;
    double *row = out->m + 4 * i;
    for (int j = 0; j < 3; j++) {
      const double *b = a + 4 * ((j + 1) % 3), *c = a + 4 * ((j + 2) % 3);
      row[j] = (b[p] * c[q] - c[p] * b[q]) / det;
    }
    row[3] = -row[0] * a[3] - row[1] * a[7] - row[2] * a[11];
  }
  return true;
}

static SofaTriangle triangle(uint32_t a, uint32_t b, uint32_t c, bool flip) {
  return flip ? (SofaTriangle){{c, b, a}} : (SofaTriangle){{a, b, c}};
}

SofaErr sofa_mesh_triangulate(SofaContext *ctx, SofaMesh *mesh, bool flip) {
  for (size_t i = 0; i < mesh->quads.n; i++) {
    const uint32_t *q = mesh->quads.data[i].v;
    const SofaTriangle t[2] = {triangle(q[0], q[1], q[2], flip), triangle(q[0], q[2], q[3], flip)};
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->triangles, &t[0]));
    SOFA_TRY(SOFA_APPEND(ctx, &mesh->triangles, &t[1]));
  }
  return SOFA_RESIZE(ctx, &mesh->quads, 0);
}

SofaTuple sofa_face_key(const uint32_t *v, unsigned n) {
  return n == 2   ? sofa_tuple2(v[0], v[1])
         : n == 3 ? sofa_tuple3(v[0], v[1], v[2])
                  : sofa_tuple4(v[0], v[1], v[2], v[3]);
}

/* The list being completed and the vertex sets it has. */
typedef struct Completion {
  SofaContext *ctx;
  SofaMesh *mesh;
  SofaElementKind kind;
  SofaTupleMap map;
  size_t n; /* elements in the list */
} Completion;

static SofaErr completion_begin(Completion *c, SofaContext *ctx, SofaMesh *mesh,
                                SofaElementKind kind) {
  *c = (Completion){.ctx = ctx, .mesh = mesh, .kind = kind};
  const SofaElements list = sofa_mesh_elements(mesh, kind);
  c->n = list.n;
  sofa_tuple_map_local(&c->map, sofa_mesh_vertex_count(mesh));
  SofaErr err = sofa_tuple_map_reserve(ctx, &c->map, list.n);
  for (size_t i = 0; i < list.n && err == SOFA_OK; i++) {
    const SofaTuple key = sofa_face_key(list.v + i * list.width, list.width);
    uint32_t found;
    err = sofa_tuple_map_add(ctx, &c->map, &key, (uint32_t)i, &found);
  }
  if (err != SOFA_OK) sofa_tuple_map_free(ctx, &c->map);
  return err;
}

/* Appends the faces of all elements of `kind` whose vertex sets are not listed yet. Faces are n
 * rows of local vertices. */
static SofaErr complete_faces(Completion *c, SofaElementKind kind, unsigned n,
                              const uint8_t *faces) {
  const SofaElements list = sofa_mesh_elements(c->mesh, kind);
  const unsigned width = sofa_element_kind_info(c->kind)->width;
  void *out = sofa_mesh_list(c->mesh, c->kind);
  // every inner face appears twice or more
  SOFA_TRY(sofa_tuple_map_reserve(c->ctx, &c->map, c->n + list.n * n / 2));
  for (size_t i = 0; i < list.n; i++) {
    for (unsigned j = 0; j < n; j++) {
      uint32_t v[4] = {0}, found;
      for (unsigned k = 0; k < width; k++) v[k] = list.v[i * list.width + faces[j * width + k]];
      const SofaTuple key = sofa_face_key(v, width);
      SOFA_TRY(sofa_tuple_map_add(c->ctx, &c->map, &key, (uint32_t)c->n, &found));
      if (found != c->n) continue;
      SOFA_TRY(sofa_list_append(c->ctx, out, width * sizeof *v, v));
      c->n++;
    }
  }
  return SOFA_OK;
}

static const uint8_t prism_quads[3][4] = {{0, 3, 4, 1}, {0, 2, 5, 3}, {1, 4, 5, 2}};
static const uint8_t pyramid_quads[1][4] = {{0, 3, 2, 1}};
static const uint8_t prism_triangles[2][3] = {{0, 1, 2}, {4, 3, 5}};
static const uint8_t pyramid_triangles[4][3] = {{0, 1, 4}, {1, 2, 4}, {3, 4, 2}, {0, 4, 3}};
static const uint8_t tetra_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const uint8_t quad_edges[4][2] = {{1, 2}, {2, 3}, {3, 0}, {0, 1}};
static const uint8_t triangle_edges[3][2] = {{1, 2}, {2, 0}, {0, 1}};

const SofaFaceTable sofa_face_tables[SOFA_N_FACE_TABLES] = {
    {SOFA_ELEMENT_QUAD, SOFA_ELEMENT_HEXA, 6, sofa_hexa_quads[0]},
    {SOFA_ELEMENT_QUAD, SOFA_ELEMENT_PRISM, 3, prism_quads[0]},
    {SOFA_ELEMENT_QUAD, SOFA_ELEMENT_PYRAMID, 1, pyramid_quads[0]},
    {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_PRISM, 2, prism_triangles[0]},
    {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_PYRAMID, 4, pyramid_triangles[0]},
    {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_TETRA, 4, tetra_triangles[0]},
    {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_QUAD, 4, quad_edges[0]},
    {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE, 3, triangle_edges[0]}};

/* The elements of one kind that others have as faces or edges. */
static SofaErr add_faces(SofaContext *ctx, SofaMesh *mesh, SofaElementKind kind) {
  Completion c;
  size_t n = 0;
  for (int t = 0; t < SOFA_N_FACE_TABLES; t++)
    if (sofa_face_tables[t].face == kind) n += sofa_mesh_elements(mesh, sofa_face_tables[t].of).n;
  if (!n) return SOFA_OK;
  SOFA_TRY(completion_begin(&c, ctx, mesh, kind));
  SofaErr err = SOFA_OK;
  for (int t = 0; t < SOFA_N_FACE_TABLES && err == SOFA_OK; t++) {
    const SofaFaceTable *table = &sofa_face_tables[t];
    if (table->face == kind) err = complete_faces(&c, table->of, table->n, table->points);
  }
  sofa_tuple_map_free(ctx, &c.map);
  return err;
}

SofaErr sofa_mesh_add_subelements(SofaContext *ctx, SofaMesh *mesh) {
  SOFA_TRY(add_faces(ctx, mesh, SOFA_ELEMENT_QUAD));
  SOFA_TRY(add_faces(ctx, mesh, SOFA_ELEMENT_TRIANGLE));
  return add_faces(ctx, mesh, SOFA_ELEMENT_EDGE);
}

SofaErr sofa_mesh_drop_unused(SofaContext *ctx, SofaMesh *mesh, SofaIndices *old_index) {
  SofaErr err = SOFA_OK;
  const size_t n = mesh->position.n;
  uint32_t *renumber = (uint32_t *)sofa_alloc(ctx, n + 1, sizeof *renumber);
  if (!renumber) return SOFA_ERR_MEMORY;
  // mark, then number the marked ones
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)kind);
    for (size_t i = 0; i < list.n * list.width; i++)
      if (list.v[i] < n) renumber[list.v[i]] = 1;
  }
  uint32_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (!renumber[i]) continue;
    const uint32_t old = (uint32_t)i;
    if (old_index) SOFA_GO(err, done, SOFA_APPEND(ctx, old_index, &old));
    mesh->position.data[kept] = mesh->position.data[i];
    renumber[i] = kept++;
  }
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &mesh->position, kept));
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)kind);
    uint32_t *v = (uint32_t *)(uintptr_t)list.v;
    for (size_t i = 0; i < list.n * list.width; i++)
      if (v[i] < n) v[i] = renumber[v[i]];
  }
done:
  sofa_free(ctx, renumber);
  return err;
}

SofaVec3 sofa_mesh_unit_normal(const SofaVec3 *a, const SofaVec3 *b, const SofaVec3 *c) {
  double u[3], w[3];
  SofaVec3 n;
  sofa_vec3_sub(b->v, a->v, u);
  sofa_vec3_sub(c->v, a->v, w);
  sofa_vec3_cross(u, w, n.v);
  sofa_vec3_normalize(n.v);
  return n;
}

SofaErr sofa_mesh_normals(SofaContext *ctx, const SofaMesh *mesh, SofaVec3s *normals) {
  const size_t n = mesh->position.n;
  const SofaVec3 *x = mesh->position.data;
  SOFA_TRY(SOFA_RESIZE(ctx, normals, 0));
  SOFA_TRY(SOFA_RESIZE(ctx, normals, n));
  for (size_t i = 0; i < mesh->triangles.n; i++) {
    const uint32_t *t = mesh->triangles.data[i].v;
    if (t[0] >= n || t[1] >= n || t[2] >= n) continue;
    const SofaVec3 normal = sofa_mesh_unit_normal(&x[t[0]], &x[t[1]], &x[t[2]]);
    for (int j = 0; j < 3; j++) sofa_vec3_axpy(1, normal.v, normals->data[t[j]].v);
  }
  for (size_t i = 0; i < mesh->quads.n; i++) {
    const uint32_t *q = mesh->quads.data[i].v;
    if (q[0] >= n || q[1] >= n || q[2] >= n || q[3] >= n) continue;
    for (int j = 0; j < 4; j++) {
      const SofaVec3 normal =
          sofa_mesh_unit_normal(&x[q[j]], &x[q[(j + 1) % 4]], &x[q[(j + 3) % 4]]);
      sofa_vec3_axpy(1, normal.v, normals->data[q[j]].v);
    }
  }
  for (size_t i = 0; i < n; i++) sofa_vec3_normalize(normals->data[i].v);
  return SOFA_OK;
}
