/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults of meshes that are found by comparing elements and points with each other. */
#include "numerics/check/mesh_faults_impl.h"

#include <math.h>

void fault_add(FaultList *list, size_t element, uint32_t point) {
  if (list->n < FAULTS_SHOWN) {
    list->element[list->n] = element;
    list->point[list->n] = point;
  }
  list->n++;
}

SofaErr fault_report(CheckedMesh *m, SofaElementKind kind, const FaultList *list,
                     SofaCheckVerdict verdict) {
  SofaText text = {0};
  SofaErr err = SOFA_OK;
  if (list->n == 0) return SOFA_OK;
  for (size_t i = 0; err == SOFA_OK && i < list->n && i < FAULTS_SHOWN; i++) {
    const double *p = m->points.data[list->point[i]].v;
    err = sofa_text_printf(m->ctx, &text, "%s%zu at (%.4g %.4g %.4g)", i ? ", " : "",
                           list->element[i], p[0], p[1], p[2]);
  }
  if (err == SOFA_OK && list->n > FAULTS_SHOWN) err = sofa_text_printf(m->ctx, &text, ", ...");
  const size_t all = kind == SOFA_ELEMENT_POINT ? m->points.n : sofa_mesh_elements(m->mesh, kind).n;
  const char *names = kind == SOFA_ELEMENT_POINT ? "points" : sofa_element_kind_info(kind)->field;
  if (err == SOFA_OK)
    err = sofa_check_add(m->report, m->object, verdict, NAN, "%zu of %zu %s: %s: %s", list->n, all,
                         names, list->what, text.data);
  sofa_list_free(m->ctx, &text);
  return err;
}

/* ---- sorted keys ---- */

/* Up to eight numbers in ascending order, and whose they are. */
typedef struct Key {
  uint32_t v[8], id;
  bool turned; /* of an edge: its points were the other way round */
} Key;
SOFA_LIST(Key, Keys);

static int by_key(const void *a, const void *b) {
  const Key *x = a, *y = b;
  for (int k = 0; k < 8; k++)
    if (x->v[k] != y->v[k]) return x->v[k] < y->v[k] ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static bool same_key(const Key *a, const Key *b) {
  return sofa_compare(a->v, b->v, sizeof a->v) == 0;
}

static SofaErr add_key(SofaContext *ctx, Keys *keys, const uint32_t *v, unsigned width,
                       uint32_t id) {
  Key key = {.id = id, .turned = v[0] > v[1]};
  for (unsigned k = 0; k < 8; k++) key.v[k] = k < width ? v[k] : UINT32_MAX;
  for (unsigned i = 1; i < width; i++)
    for (unsigned k = i; k > 0 && key.v[k] < key.v[k - 1]; k--) {
      const uint32_t t = key.v[k];
      key.v[k] = key.v[k - 1], key.v[k - 1] = t;
    }
  return SOFA_APPEND(ctx, keys, &key);
}

/* ---- duplicates ---- */

static SofaErr check_elements(CheckedMesh *m, SofaElementKind kind) {
  const SofaElements list = sofa_mesh_elements(m->mesh, kind);
  FaultList twice = {.what = "has the same points as another one"};
  Keys keys = {0};
  SofaErr err = SOFA_RESERVE(m->ctx, &keys, list.n);
  for (uint32_t e = 0; err == SOFA_OK && e < list.n; e++)
    err = add_key(m->ctx, &keys, list.v + e * list.width, list.width, e);
  sofa_sort(keys.data, keys.n, sizeof *keys.data, by_key);
  for (size_t i = 1; i < keys.n; i++)
    if (same_key(&keys.data[i - 1], &keys.data[i]))
      fault_add(&twice, keys.data[i].id, keys.data[i].v[0]);
  if (err == SOFA_OK) err = fault_report(m, kind, &twice, SOFA_CHECK_WARNING);
  sofa_list_free(m->ctx, &keys);
  return err;
}

typedef struct Place {
  double x[3];
  uint32_t id;
} Place;
SOFA_LIST(Place, Places);

static int by_place(const void *a, const void *b) {
  const Place *p = a, *q = b;
  for (int c = 0; c < 3; c++)
    if (p->x[c] != q->x[c]) return p->x[c] < q->x[c] ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

/* Points at the same place, to the bit. */
static SofaErr check_places(CheckedMesh *m) {
  FaultList twice = {.what = "is at the place of another one"};
  Places places = {0};
  SOFA_TRY(SOFA_RESIZE(m->ctx, &places, m->points.n));
  for (uint32_t i = 0; i < m->points.n; i++) {
    sofa_copy(places.data[i].x, m->points.data[i].v, sizeof places.data[i].x);
    places.data[i].id = i;
  }
  sofa_sort(places.data, places.n, sizeof *places.data, by_place);
  for (size_t i = 1; i < places.n; i++) {
    const Place *p = &places.data[i - 1], *q = &places.data[i];
    if (p->x[0] == q->x[0] && p->x[1] == q->x[1] && p->x[2] == q->x[2])
      fault_add(&twice, q->id, q->id);
  }
  const SofaErr err = fault_report(m, SOFA_ELEMENT_POINT, &twice, SOFA_CHECK_WARNING);
  sofa_list_free(m->ctx, &places);
  return err;
}

/* In a mesh with elements. */
static SofaErr check_unused(CheckedMesh *m) {
  FaultList unused = {.what = "no element has it"};
  SofaBools used = {0};
  bool any = false;
  SOFA_TRY(SOFA_RESIZE(m->ctx, &used, m->points.n));
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements list = sofa_mesh_elements(m->mesh, (SofaElementKind)kind);
    for (size_t k = 0; k < list.n * list.width; k++) used.data[list.v[k]] = any = true;
  }
  for (uint32_t i = 0; any && !m->is_part && i < used.n; i++)
    if (!used.data[i]) fault_add(&unused, i, i);
  const SofaErr err = fault_report(m, SOFA_ELEMENT_POINT, &unused, SOFA_CHECK_WARNING);
  sofa_list_free(m->ctx, &used);
  return err;
}

SofaErr sofa_check_mesh_duplicates(CheckedMesh *m) {
  SOFA_TRY(check_places(m));
  SOFA_TRY(check_unused(m));
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++)
    SOFA_TRY(check_elements(m, (SofaElementKind)kind));
  return SOFA_OK;
}

/* ---- neighbours ---- */

/* Faces of tetrahedra and hexahedra. */
static SofaErr add_solid_faces(const CheckedMesh *m, Keys *keys) {
  const SofaTetras *tetras = &m->mesh->tetrahedra;
  const SofaHexas *hexas = &m->mesh->hexahedra;
  uint32_t v[4];
  for (uint32_t e = 0; e < tetras->n; e++)
    for (int f = 0; f < 4; f++) {
      for (int k = 0; k < 3; k++) v[k] = tetras->data[e].v[sofa_tetra_faces[f][k]];
      SOFA_TRY(add_key(m->ctx, keys, v, 3, e));
    }
  for (uint32_t e = 0; e < hexas->n; e++)
    for (int f = 0; f < 6; f++) {
      for (int k = 0; k < 4; k++) v[k] = hexas->data[e].v[sofa_hexa_quads[f][k]];
      SOFA_TRY(add_key(m->ctx, keys, v, 4, e));
    }
  return SOFA_OK;
}

static SofaErr add_face_edges(const CheckedMesh *m, Keys *keys) {
  const SofaElementKind kinds[] = {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};
  for (int i = m->is_grid; i < 2; i++) {
    const SofaElements list = sofa_mesh_elements(m->mesh, kinds[i]);
    for (uint32_t e = 0; e < list.n; e++)
      for (unsigned k = 0; k < list.width; k++) {
        const uint32_t *f = list.v + e * list.width;
        const uint32_t v[2] = {f[k], f[(k + 1) % list.width]};
        SOFA_TRY(add_key(m->ctx, keys, v, 2, e));
      }
  }
  return SOFA_OK;
}

typedef struct Runs {
  size_t single, crowded, disordered; /* keys of one, of more than two, of two turned alike */
  uint32_t crowded_at, disordered_at; /* a point of the first */
} Runs;

static Runs count_runs(const Keys *keys) {
  Runs runs = {0};
  for (size_t i = 0, end; i < keys->n; i = end) {
    for (end = i + 1; end < keys->n && same_key(&keys->data[i], &keys->data[end]); end++) continue;
    const Key *first = &keys->data[i];
    if (end - i == 1) runs.single++;
    if (end - i > 2 && runs.crowded++ == 0) runs.crowded_at = first->v[0];
    if (end - i == 2 && first->turned == first[1].turned && runs.disordered++ == 0)
      runs.disordered_at = first->v[0];
  }
  return runs;
}

static SofaErr tell(CheckedMesh *m, size_t n, uint32_t point, const char *what) {
  const double *p = m->points.data[point].v;
  if (n == 0) return SOFA_OK;
  return sofa_check_add(m->report, m->object, SOFA_CHECK_WARNING, NAN,
                        "%zu %s; the first is at point %u (%.4g %.4g %.4g)", n, what, point, p[0],
                        p[1], p[2]);
}

SofaErr sofa_check_mesh_faces(CheckedMesh *m) {
  const bool solids = m->is_solid;
  Keys keys = {0};
  SofaErr err = solids ? add_solid_faces(m, &keys) : add_face_edges(m, &keys);
  sofa_sort(keys.data, keys.n, sizeof *keys.data, by_key);
  const Runs runs = count_runs(&keys);
  if (err == SOFA_OK)
    err = tell(m, runs.crowded, runs.crowded_at,
               solids ? "faces belong to more than two elements"
                      : "edges belong to more than two faces: the surface is not a manifold");
  if (err == SOFA_OK && !solids)
    err = tell(m, runs.disordered, runs.disordered_at,
               "edges have faces of opposite orientation on both sides");
  if (!solids) m->n_open = runs.single;
  sofa_list_free(m->ctx, &keys);
  return err;
}
