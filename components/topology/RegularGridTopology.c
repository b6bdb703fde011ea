/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RegularGridTopology: a regular grid of points with its hexahedra, quads, triangles and edges. */
#include <math.h>
#include <string.h>
#include "grid_topology.h"

enum { QUIRK_GRID_CELL_WIDTH = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_GRID_CELL_WIDTH, "grid-cell-width",
     "cellWidth of a RegularGridTopology changes the number of points, not their distances",
     "test_topology_utilities.cells_have_a_width"},
};

typedef struct RegularGridTopology {
  SofaGridTopology grid;
  SofaVec3 min, max, p0; /* corners; origin used instead of min when given */
  double cell_width;
  SofaLegacyBox legacy;
  SofaVec3 origin, step; /* of the grid */
} RegularGridTopology;

typedef RegularGridTopology SofaSelf; /* of SOFA_ROW */

static const SofaField grid_fields[] = {
    SOFA_ROW(min, "min", "0 0 0", "m", "Corner of smallest coordinates.", ),
    SOFA_ROW(max, "max", "1 1 1", "m", "Corner of largest coordinates.", ),
    SOFA_ROW(p0, "p0", "0 0 0", "m", "First point, when given, instead of min.", ),
    SOFA_ROW(
        cell_width, "cellWidth", "0", "m",
        "Width of the cells, when more than 0: as many from min on as cover the box, instead of "
        "n.",
        .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_LEGACY_BOX_ROWS(RegularGridTopology, legacy),
};

static void apply_legacy(RegularGridTopology *grid) {
  SofaObject *object = &grid->grid.mesh_topology.topology.object;
  if (!sofa_legacy_box_take(object, &grid->legacy, &grid->min, &grid->max)) return;
  sofa_field_touch_name(object, "min");
  sofa_field_touch_name(object, "max");
}

/* Steps and first point. An axis of one point has it in the middle (z: at the lower end). */
static void set_axes(RegularGridTopology *grid, bool origin) {
  for (int k = 0; k < 3; k++) {
    const int cells = grid->grid.n.v[k] > 1 ? grid->grid.n.v[k] - 1 : 0;
    const double low = grid->min.v[k], high = grid->max.v[k];
    grid->step.v[k] = cells > 0 ? (high - low) / cells : high - low;
    if (origin) grid->origin.v[k] = cells > 0 || k == 2 ? low : (low + high) / 2;
  }
  if (origin && sofa_field_is_set(&grid->grid.mesh_topology.topology.object, "p0"))
    grid->origin = grid->p0;
}

static SofaErr grid_construct(SofaObject *object) {
  set_axes((RegularGridTopology *)object, true);
  return SOFA_OK;
}

/* As many cells of the given width as cover the box. */
static SofaErr take_cell_width(RegularGridTopology *grid) {
  SofaObject *object = &grid->grid.mesh_topology.topology.object;
  const double w = grid->cell_width;
  SofaInts3 n;
  if (w == 0) return SOFA_OK;
  for (int k = 0; k < 3; k++) {
    const double cells = ceil((grid->max.v[k] - grid->min.v[k]) / w);
    if (!(cells >= 0) || cells > INT32_MAX / 8)
      return sofa_field_fail(object, "cellWidth", SOFA_ERR_RANGE,
                             "%g m: there would be %g cells along axis %d", w, cells, k);
    n.v[k] = (int)cells + 1;
  }
  grid->grid.n = n;
  sofa_field_touch_name(object, "n");
  if (sofa_quirk(object, QUIRK_GRID_CELL_WIDTH)) return SOFA_OK;
  set_axes(grid, true);
  for (int k = 0; k < 3; k++) grid->step.v[k] = w;
  return SOFA_OK;
}

/* Do values come from other objects, at init? */
static bool has_links(const SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++)
    if (object->field_states[i].link_path) return true;
  return false;
}

/* Objects that stand before the grid in their node find its elements at their init. */
static SofaErr grid_parsed(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  apply_legacy(grid);
  set_axes(grid, true);
  SOFA_TRY(take_cell_width(grid));
  SOFA_TRY(sofa_grid_count(&grid->grid));
  const int *n = grid->grid.n.v;
  const bool sound = n[0] > 0 && n[1] > 0 && n[2] > 0;
  if (!sound || has_links(object)) return SOFA_OK;
  grid->grid.waits = object->ctx->processes != NULL;
  return grid->grid.waits ? SOFA_OK : sofa_grid_fill(&grid->grid);
}

static void grid_point(const SofaTopology *topology, size_t i, double *p) {
  const RegularGridTopology *grid = (const RegularGridTopology *)topology;
  double at[3];
  sofa_grid_place(&grid->grid, i, at);
  /* rounded once, as SOFA's builds do: boxes that end on a grid point then hold the same points */
  for (int k = 0; k < 3; k++) p[k] = fma(grid->step.v[k], at[k], grid->origin.v[k]);
}

static bool grid_grid(const SofaTopology *topology, int n[3], double p0[3], double dx[3],
                      double dy[3], double dz[3]) {
  const RegularGridTopology *grid = (const RegularGridTopology *)topology;
  double *const axes[3] = {dx, dy, dz};
  if (topology->division) return false;
  memcpy(n, grid->grid.n.v, sizeof grid->grid.n.v);
  memcpy(p0, grid->origin.v, sizeof grid->origin.v);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) axes[i][k] = i == k ? grid->step.v[k] : 0;
  return true;
}

/* Texture coordinates from 0 to 1 along two axes. The sides across the third one have them along x
 * and y (flat grids: along the axes they have), those across y along x and z, those across x along
 * z and y; at the far sides they run backwards, and points inside follow the first axes. */
static void texcoord(const int n[3], const int at[3], double uv[2]) {
  const bool flat[3] = {n[0] == 1, n[1] == 1, n[2] == 1};
  int a = flat[0] ? 1 : 0, b = flat[0] || flat[1] ? 2 : 1, across = 3 - a - b;
  const bool edge[3] = {at[0] == 0 || at[0] == n[0] - 1, at[1] == 0 || at[1] == n[1] - 1,
                        at[2] == 0 || at[2] == n[2] - 1};
  const bool solid = !flat[0] && !flat[1] && !flat[2];
  if (solid && !edge[2] && edge[1] && !edge[0]) a = 0, b = 2, across = 1;
  if (solid && !edge[2] && edge[0] && !edge[1]) a = 2, b = 1, across = 0;
  uv[0] = n[a] > 1 ? (double)at[a] / (n[a] - 1) : 0;
  uv[1] = n[b] > 1 ? (double)at[b] / (n[b] - 1) : 0;
  if (!solid || at[across] == 0 || at[across] != n[across] - 1) return;
  uv[0] = 1 - uv[0];
  uv[1] = 1 - uv[1];
}

static SofaErr make_texcoords(RegularGridTopology *grid) {
  SofaMeshTopology *mesh = &grid->grid.mesh_topology;
  SofaObject *object = &mesh->topology.object;
  const int *n = grid->grid.n.v;
  if ((n[0] == 1) + (n[1] == 1) + (n[2] == 1) > 1) {
    sofa_object_message(
        object, SOFA_WARNING,
        "createTexCoords: a grid of %d x %d x %d points is not a surface, it gets no "
        "texture coordinates",
        n[0], n[1], n[2]);
    return SOFA_OK;
  }
  SOFA_TRY(SOFA_RESIZE(object->ctx, &mesh->uv, mesh->topology.n_points));
  for (size_t i = 0; i < mesh->uv.n; i++) {
    double at[3];
    sofa_grid_place(&grid->grid, i, at);
    texcoord(n, (const int[3]){(int)at[0], (int)at[1], (int)at[2]}, mesh->uv.data[i].v);
  }
  sofa_field_touch_name(object, "uv");
  return SOFA_OK;
}

static SofaErr grid_init(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  // where the counts became 2 the first point stays
  if (grid->cell_width == 0) set_axes(grid, !grid->grid.replaced);
  SOFA_TRY(sofa_grid_fill(&grid->grid));
  return grid->grid.create_texcoords ? make_texcoords(grid) : SOFA_OK;
}

static const SofaTopologyOps grid_ops = {.has_positions = sofa_grid_has_positions,
                                         .point = grid_point,
                                         .counts = sofa_grid_counts,
                                         .grid = grid_grid,
                                         .divide = sofa_grid_divide,
                                         .make_whole = sofa_grid_make_whole,
                                         .derive = sofa_mesh_topology_derive};

SOFA_CLASS(RegularGridTopology) = {
    SOFA_NAMED(RegularGridTopology),
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A regular grid of points in a box, x fastest, with its hexahedra, quads, triangles "
            "and edges.",
    .base = &sofa_grid_base_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(grid_fields),
    .construct = grid_construct,
    .parsed = grid_parsed,
    .init = grid_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &grid_ops}),
};
