/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mode as a grid: the points and elements of all states that move, with displacements. */
#include <math.h>

#include "base/bytes.h"
#include "numerics/modes/modes.h"
#include "simulation/mechanics.h"
#include "topology/topology.h"

typedef struct Grid {
  const SofaModes *modes;
  size_t mode;
  SofaReals points, moved;
  SofaIndices vertices[5]; /* of each kind of cell below */
} Grid;

static const struct {
  SofaElementKind kind;
  uint8_t type;
  unsigned width;
} cells[] = {{SOFA_ELEMENT_EDGE, 3, 2},
             {SOFA_ELEMENT_TRIANGLE, 5, 3},
             {SOFA_ELEMENT_QUAD, 9, 4},
             {SOFA_ELEMENT_TETRA, 10, 4},
             {SOFA_ELEMENT_HEXA, 12, 8}};
enum { N_CELLS = sizeof cells / sizeof *cells };

static void free_grid(Grid *g) {
  SofaContext *ctx = g->modes->ctx;
  sofa_list_free(ctx, &g->points);
  sofa_list_free(ctx, &g->moved);
  for (size_t i = 0; i < N_CELLS; i++) sofa_list_free(ctx, &g->vertices[i]);
}

static SofaErr add_points(Grid *g, const SofaState *s) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  const double *shape = sofa_modes_shape(g->modes, g->mode) + s->v_offset;
  const unsigned dims = kind->space < 3 ? kind->space : 3;
  for (size_t i = 0; i < s->position.n; i++)
    for (unsigned c = 0; c < 3; c++) {
      const double x = c < dims ? s->position.data[i * kind->coord + c] : 0;
      const double d = c < dims ? shape[i * kind->deriv + c] : 0;
      SOFA_TRY(SOFA_APPEND(g->modes->ctx, &g->points, &x));
      SOFA_TRY(SOFA_APPEND(g->modes->ctx, &g->moved, &d));
    }
  return SOFA_OK;
}

/* Volumes; without any the faces, without these the edges. */
static SofaErr add_cells(Grid *g, SofaTopology *topology, size_t first) {
  size_t added = 0;
  for (size_t i = N_CELLS; i-- > 0;) {
    const bool last_of_size = i == 3 || i == 1;
    const SofaElements e = sofa_mesh_elements(&topology->mesh, cells[i].kind);
    for (size_t k = 0; k < e.n * e.width; k++) {
      const uint32_t vertex = (uint32_t)first + e.v[k];
      SOFA_TRY(SOFA_APPEND(g->modes->ctx, &g->vertices[i], &vertex));
    }
    added += e.n;
    if (last_of_size && added) break;
  }
  return SOFA_OK;
}

static SofaErr add_state(Grid *g, const SofaState *s) {
  const size_t first = g->points.n / 3;
  SofaTopology *topology =
      (SofaTopology *)sofa_node_find(s->object.node, SOFA_TOPOLOGY, SOFA_SEARCH_SLOT);
  SOFA_TRY(add_points(g, s));
  const bool fits = topology && sofa_mesh_vertex_count(&topology->mesh) <= s->position.n;
  return fits ? add_cells(g, topology, first) : SOFA_OK;
}

/* The largest displacement becomes 1. */
static void scale(Grid *g) {
  double most = 0;
  for (size_t i = 0; i + 2 < g->moved.n; i += 3) {
    const double *d = g->moved.data + i;
    most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
  for (size_t i = 0; most > 0 && i < g->moved.n; i++) g->moved.data[i] /= most;
}

static SofaErr write(const Grid *g, SofaVtkBuffers *out) {
  VtkCells list[N_CELLS];
  const size_t n = g->points.n / 3;
  size_t n_lists = 0;
  for (size_t i = 0; i < N_CELLS; i++)
    if (g->vertices[i].n)
      list[n_lists++] = (VtkCells){cells[i].type, cells[i].width, g->vertices[i].n / cells[i].width,
                                   g->vertices[i].data};
  if (!n_lists) list[n_lists++] = (VtkCells){1, 1, n, NULL};
  const SofaVtkField field = {"mode", 3, g->moved.data};
  const VtkGrid grid = {.points = g->points.data,
                        .n_points = n,
                        .cells = list,
                        .n_cells = n_lists,
                        .point_fields = &field,
                        .n_point_fields = 1};
  return sofa_vtk_write_xml(g->modes->ctx, &grid, false, out);
}

SofaErr sofa_modes_vtu(const SofaModes *modes, size_t mode, SofaVtkBuffers *out) {
  const SofaMechanics *m = modes->mechanics;
  Grid grid = {.modes = modes, .mode = mode};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; err == SOFA_OK && i < m->n_main; i++) err = add_state(&grid, m->states[i]);
  scale(&grid);
  if (err == SOFA_OK) err = write(&grid, out);
  free_grid(&grid);
  return err;
}
