/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the element each point is mapped by, with the choices SOFA makes but without trying every
 * element: boxes in a lattice find the elements around a point, a tree finds the nearest centre. */
#include "barycentric_search.h"

#include <math.h>
#include <string.h>
#include "box_hash.h"
#include "element_distance.h"
#include "math/vec.h"
#include "nearest_tree.h"

/* Finds the element of smallest value (the first of several) among all. */
typedef struct Finder {
  SofaMapElements elements;
  SofaBoxHash inside; /* boxes that hold all points with value <= 0 */
  SofaNearestTree centres;
} Finder;

static void finder_free(SofaContext *ctx, Finder *f) {
  sofa_map_elements_free(ctx, &f->elements);
  sofa_box_hash_free(ctx, &f->inside);
  sofa_nearest_tree_free(ctx, &f->centres);
}

/* Lattice as fine as the boxes are large on average. */
static double mean_extent(const double *boxes, size_t n) {
  double sum = 0;
  size_t used = 0;
  for (size_t i = 0; i < n; i++) {
    const double *b = boxes + 6 * i;
    if (!(b[0] <= b[3])) continue;
    sum += ((b[3] - b[0]) + (b[4] - b[1]) + (b[5] - b[2])) / 3;
    used++;
  }
  return used ? sum / (double)used : 1;
}

static SofaErr finder_index(SofaContext *ctx, Finder *f) {
  const size_t n = f->elements.n;
  SofaErr err;
  double *boxes = (double *)sofa_alloc(ctx, 6 * n + 1, sizeof *boxes);
  SofaVec3 *centres = (SofaVec3 *)sofa_alloc(ctx, n + 1, sizeof *centres);
  if (!boxes || !centres) {
    sofa_free(ctx, centres);
    err = SOFA_ERR_MEMORY;
    goto done;
  }
  for (size_t i = 0; i < n; i++) {
    const SofaMapElement *e = &f->elements.data[i];
    memcpy(centres[i].v, e->centre, sizeof e->centre);
    if (e->flat) {
      boxes[6 * i] = 1; // min > max: in no cell
    } else {
      sofa_map_inside_box(e, boxes + 6 * i, boxes + 6 * i + 3);
    }
  }
  SOFA_GO(err, done, sofa_nearest_tree_build(ctx, centres, n, &f->centres));
  err = sofa_box_hash_build(ctx, n, boxes, mean_extent(boxes, n), &f->inside);
done:
  sofa_free(ctx, boxes);
  return err;
}

/* The deepest element around the point, else the one with the nearest centre. */
static uint32_t find_any(const Finder *f, const double p[3]) {
  uint32_t best = UINT32_MAX, id;
  double value = INFINITY;
  SofaBoxWalk walk = sofa_box_hash_walk(&f->inside, sofa_box_hash_cell(&f->inside, p));
  while ((id = sofa_box_walk_next(&walk)) != UINT32_MAX) {
    const double d = sofa_map_inside(&f->elements.data[id], p);
    if (d <= 0 && d < value) value = d, best = id;
  }
  return best != UINT32_MAX ? best : sofa_nearest_tree_find(&f->centres, p);
}

/* ---- set containers ---- */

/* Mean length of the edges, or of the first edge of the elements when there are none. */
static double cell_size(SofaTopology *topology, const SofaMapElements *elements,
                        const SofaPointsView *x) {
  const SofaEdges *edges = sofa_topology_edges(topology);
  double sum = 0;
  for (size_t i = 0; i < edges->n; i++) {
    const uint32_t *v = edges->data[i].v;
    if (v[0] < x->n && v[1] < x->n)
      sum += sofa_vec3_distance(x->x + v[1] * x->stride, x->x + v[0] * x->stride);
  }
  if (edges->n) return sum / (double)edges->n;
  for (size_t i = 0; i < elements->n; i++) {
    const uint32_t *v = elements->data[i].v;
    sum += sofa_vec3_distance(x->x + v[1] * x->stride, x->x + v[0] * x->stride);
  }
  return elements->n ? sum / (double)elements->n : 1;
}

/* Boxes of the vertices. */
static void vertex_boxes(const SofaMapElements *elements, const SofaPointsView *x, double *boxes) {
  for (size_t i = 0; i < elements->n; i++) {
    const SofaMapElement *e = &elements->data[i];
    const unsigned width = sofa_element_kind_info((SofaElementKind)e->kind)->width;
    double *b = boxes + 6 * i;
    for (int k = 0; k < 3; k++) b[k] = INFINITY, b[3 + k] = -INFINITY;
    for (unsigned j = 0; j < width; j++) {
      const double *p = x->x + e->v[j] * x->stride;
      for (int k = 0; k < 3; k++) b[k] = fmin(b[k], p[k]), b[3 + k] = fmax(b[3 + k], p[k]);
    }
  }
}

/* Goes on with the best element so far through those of a cell. */
static void scan_cell(const SofaMapElements *elements, const SofaBoxHash *cells, SofaCell cell,
                      const double p[3], double *value, uint32_t *best) {
  SofaBoxWalk walk = sofa_box_hash_walk(cells, cell);
  uint32_t id;
  while ((id = sofa_box_walk_next(&walk)) != UINT32_MAX) {
    const double d = sofa_map_value(&elements->data[id], p);
    if (d < *value) *value = d, *best = id;
  }
}

/* The element of the point's cell; with a value above half a cell also those of the cells around.
 * Lengths and squared lengths are compared as SOFA does. */
static uint32_t find_in_cells(const Finder *f, const SofaBoxHash *cells, double size,
                              const double p[3]) {
  const SofaCell cell = sofa_box_hash_cell(cells, p);
  double value = INFINITY;
  uint32_t best = UINT32_MAX;
  scan_cell(&f->elements, cells, cell, p, &value, &best);
  if (best == UINT32_MAX) return find_any(f, p);
  if (!(fabs(value) > size / 2)) return best;
  for (int k = 0; k < 27; k++) {
    const SofaCell near = {
        {cell.v[0] + k / 9 - 1, cell.v[1] + k / 3 % 3 - 1, cell.v[2] + k % 3 - 1}};
    scan_cell(&f->elements, cells, near, p, &value, &best);
  }
  return best;
}

static SofaErr make_cells(SofaContext *ctx, const Finder *f, const SofaPointsView *x, double size,
                          SofaBoxHash *cells) {
  double *boxes = (double *)sofa_alloc(ctx, 6 * f->elements.n + 1, sizeof *boxes);
  if (!boxes) return SOFA_ERR_MEMORY;
  vertex_boxes(&f->elements, x, boxes);
  const SofaErr err = sofa_box_hash_build(ctx, f->elements.n, boxes, size, cells);
  sofa_free(ctx, boxes);
  return err;
}

/* ---- edges ---- */

/* The first edge whose ends the point lies between, else the last one; *t along it. */
static uint32_t find_edge(const SofaEdges *edges, const SofaPointsView *x, const double p[3],
                          double *t) {
  for (size_t i = 0; i < edges->n; i++) {
    const double *a = x->x + edges->data[i].v[0] * x->stride;
    const double *b = x->x + edges->data[i].v[1] * x->stride;
    double u[3], d[3];
    sofa_vec3_sub(b, a, u);
    sofa_vec3_sub(p, a, d);
    const double length = sofa_vec3_normalize(u);
    *t = length > 0 ? sofa_vec3_dot(d, u) / length : 0;
    if (*t >= 0 && *t <= 1) return (uint32_t)i;
  }
  return (uint32_t)edges->n - 1;
}

/* ---- the choice ---- */

SofaMapper sofa_barycentric_mapper(SofaTopology *topology, SofaElementKind kinds[2],
                                   size_t *n_kinds) {
  static const SofaElementKind order[] = {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_QUAD,
                                          SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE};
  const SofaMesh *mesh = &topology->mesh;
  int n[3];
  *n_kinds = 0;
  if (sofa_topology_grid(topology, n, NULL, NULL, NULL, NULL))
    return n[0] > 1 && n[1] > 1 && n[2] > 1 ? SOFA_MAPPER_GRID : SOFA_MAPPER_NONE;
  if (topology->container == SOFA_CONTAINER_SET) {
    for (size_t i = 0; i < sizeof order / sizeof *order && !*n_kinds; i++)
      if (sofa_mesh_elements(mesh, order[i]).n) kinds[(*n_kinds)++] = order[i];
    return *n_kinds ? SOFA_MAPPER_SET : SOFA_MAPPER_NONE;
  }
  if (mesh->tetrahedra.n || mesh->hexahedra.n) {
    kinds[0] = SOFA_ELEMENT_TETRA, kinds[1] = SOFA_ELEMENT_HEXA;
    *n_kinds = 2;
  } else if (sofa_topology_triangles(topology)->n || sofa_topology_quads(topology)->n) {
    kinds[0] = SOFA_ELEMENT_TRIANGLE, kinds[1] = SOFA_ELEMENT_QUAD;
    *n_kinds = 2;
  } else if (sofa_topology_edges(topology)->n) {
    kinds[0] = SOFA_ELEMENT_EDGE;
    *n_kinds = 1;
  }
  return *n_kinds ? SOFA_MAPPER_MESH : SOFA_MAPPER_NONE;
}

/* Rows of weights being filled, 8 at most per point. */
typedef struct Rows {
  uint32_t *start, *vertex;
  double *weight;
  uint32_t n;
} Rows;

static SofaErr rows_create(SofaContext *ctx, size_t n, Rows *rows) {
  *rows = (Rows){0};
  rows->start = (uint32_t *)sofa_alloc(ctx, n + 1, sizeof *rows->start);
  rows->vertex = (uint32_t *)sofa_alloc(ctx, 8 * n + 1, sizeof *rows->vertex);
  rows->weight = (double *)sofa_alloc(ctx, 8 * n + 1, sizeof *rows->weight);
  if (rows->start && rows->vertex && rows->weight) return SOFA_OK;
  sofa_free(ctx, rows->start);
  sofa_free(ctx, rows->vertex);
  sofa_free(ctx, rows->weight);
  return SOFA_ERR_MEMORY;
}

static void add_row(Rows *rows, size_t i, SofaElementKind kind, const uint32_t *v,
                    const double local[3]) {
  const unsigned width = sofa_map_weights(kind, local, rows->weight + rows->n);
  memcpy(rows->vertex + rows->n, v, width * sizeof *v);
  rows->n += width;
  rows->start[i + 1] = rows->n;
}

/* The cell of the grid that holds the point, or the nearest one; its 8 vertices. */
static void grid_row(const SofaTopology *topology, const double p[3], size_t i, Rows *rows) {
  static const uint8_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  int n[3], cell[3];
  double origin[3], axes[3][3], d[3], local[3];
  sofa_topology_grid(topology, n, origin, axes[0], axes[1], axes[2]);
  sofa_vec3_sub(p, origin, d);
  for (int k = 0; k < 3; k++) {
    const double length2 = sofa_vec3_norm2(axes[k]);
    const double u = length2 > 0 ? sofa_vec3_dot(d, axes[k]) / length2 : 0;
    cell[k] = u >= n[k] - 2 ? n[k] - 2 : u > 0 ? (int)u : 0;
    local[k] = u - cell[k];
  }
  uint32_t v[8];
  for (int j = 0; j < 8; j++) {
    const uint32_t at[3] = {(uint32_t)cell[0] + corner[j][0], (uint32_t)cell[1] + corner[j][1],
                            (uint32_t)cell[2] + corner[j][2]};
    v[j] = at[0] + (uint32_t)n[0] * (at[1] + (uint32_t)n[1] * at[2]);
  }
  add_row(rows, i, SOFA_ELEMENT_HEXA, v, local);
}

static void edge_rows(const SofaEdges *edges, const SofaPointsView *x, const SofaPointsView *points,
                      Rows *rows) {
  for (size_t i = 0; i < points->n; i++) {
    double local[3] = {0, 0, 0};
    const uint32_t id = find_edge(edges, x, points->x + i * points->stride, &local[0]);
    add_row(rows, i, SOFA_ELEMENT_EDGE, edges->data[id].v, local);
  }
}

static SofaErr element_rows(SofaContext *ctx, SofaTopology *topology, SofaMapper mapper,
                            const SofaElementKind *kinds, size_t n_kinds, const SofaPointsView *x,
                            const SofaPointsView *points, Rows *rows) {
  SofaErr err;
  Finder f = {0};
  SofaBoxHash cells = {0};
  double size = 0;
  SOFA_GO(err, done,
          sofa_map_elements(ctx, &topology->mesh, kinds, n_kinds, x->x, x->stride, &f.elements));
  SOFA_GO(err, done, finder_index(ctx, &f));
  if (mapper == SOFA_MAPPER_SET) {
    size = cell_size(topology, &f.elements, x);
    SOFA_GO(err, done, make_cells(ctx, &f, x, size, &cells));
  }
  for (size_t i = 0; i < points->n; i++) {
    const double *p = points->x + i * points->stride;
    const uint32_t id =
        mapper == SOFA_MAPPER_SET ? find_in_cells(&f, &cells, size, p) : find_any(&f, p);
    // no element is near a point that is not finite
    const SofaMapElement *e = &f.elements.data[id < f.elements.n ? id : 0];
    double local[3];
    sofa_map_local(e, p, local);
    add_row(rows, i, (SofaElementKind)e->kind, e->v, local);
  }
done:
  finder_free(ctx, &f);
  sofa_box_hash_free(ctx, &cells);
  return err;
}

/* Every vertex of the elements must be a point of the input. */
static SofaErr check_vertices(const SofaObject *object, SofaTopology *topology, size_t n_in) {
  SofaElementKind kind;
  size_t element;
  int n[3];
  if (sofa_topology_grid(topology, n, NULL, NULL, NULL, NULL)) {
    const size_t n_grid = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    if (n_grid <= n_in) return SOFA_OK;
    return sofa_object_fail(object, SOFA_ERR_RANGE,
                            "the grid has %zu points, the input state only %zu", n_grid, n_in);
  }
  if (sofa_mesh_check(&topology->mesh, n_in, &kind, &element)) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_RANGE,
                          "%s %zu of the input topology names a point beyond the %zu of the state",
                          sofa_element_kind_info(kind)->name, element, n_in);
}

SofaErr sofa_barycentric_weights(const SofaObject *object, SofaTopology *topology,
                                 const SofaPointsView *x, const SofaPointsView *points,
                                 SofaWeights *out) {
  SofaContext *ctx = object->ctx;
  SofaElementKind kinds[2];
  size_t n_kinds;
  Rows rows;
  const SofaMapper mapper = sofa_barycentric_mapper(topology, kinds, &n_kinds);
  if (mapper == SOFA_MAPPER_NONE)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "the input topology %s(%s) has no elements to map points by",
                            topology->object.klass->name, topology->object.name);
  SOFA_TRY(check_vertices(object, topology, x->n));
  if (points->n > UINT32_MAX / 8)
    return sofa_object_fail(object, SOFA_ERR_RANGE, "too many points");
  SOFA_TRY(rows_create(ctx, points->n, &rows));
  SofaErr err = SOFA_OK;
  if (mapper == SOFA_MAPPER_GRID) {
    for (size_t i = 0; i < points->n; i++)
      grid_row(topology, points->x + i * points->stride, i, &rows);
  } else if (kinds[0] == SOFA_ELEMENT_EDGE) {
    edge_rows(sofa_topology_edges(topology), x, points, &rows);
  } else {
    err = element_rows(ctx, topology, mapper, kinds, n_kinds, x, points, &rows);
  }
  if (err == SOFA_OK)
    return sofa_weights_set(ctx, points->n, x->n, rows.start, rows.vertex, rows.weight, out);
  sofa_free(ctx, rows.start);
  sofa_free(ctx, rows.vertex);
  sofa_free(ctx, rows.weight);
  return err;
}
