/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RegularGridTopology: a regular grid of points with its hexahedra, quads, triangles and edges. */
#include <math.h>
#include <string.h>
#include "grid_topology.h"

typedef struct RegularGridTopology {
  SofaGridTopology grid;
  SofaVec3 min, max, p0; /* corners; origin used instead of min when given */
  double cell_width;
  /* legacy attributes, used when all of a group are given */
  SofaFloat scale, xmin, ymin, zmin, xmax, ymax, zmax;
  SofaVec3 origin, step; /* of the grid */
} RegularGridTopology;

#define GRID(member, xml, def_text, unit_text, help_text, ...)                                     \
  SOFA_FIELD(RegularGridTopology, member, xml, def_text, unit_text, help_text, __VA_ARGS__)
#define LEGACY(member, xml, def_text, unit_text, help_text)                                        \
  GRID(member, xml, def_text, unit_text, help_text, .flags = SOFA_FIELD_LEGACY)

static const SofaField grid_fields[] = {
    GRID(min, "min", "0 0 0", "m", "Corner of smallest coordinates.", ),
    GRID(max, "max", "1 1 1", "m", "Corner of largest coordinates.", ),
    GRID(p0, "p0", "0 0 0", "m", "First point, when given, instead of min.", ),
    GRID(cell_width, "cellWidth", "0", "m",
         "Width of the cells when positive: as many of them as fill the box, instead of n; the box "
         "keeps its size.", ),
    LEGACY(scale, "scale", "1", "1", "Multiplies xmin to zmax."),
    LEGACY(xmin, "xmin", "0", "m", "min and max; count when all of xmin to zmax are given."),
    LEGACY(ymin, "ymin", "0", "m", "See xmin."),
    LEGACY(zmin, "zmin", "0", "m", "See xmin."),
    LEGACY(xmax, "xmax", "1", "m", "See xmin."),
    LEGACY(ymax, "ymax", "1", "m", "See xmin."),
    LEGACY(zmax, "zmax", "1", "m", "See xmin."),
};

static void apply_legacy(RegularGridTopology *grid) {
  static const char *const box[6] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
  SofaObject *object = &grid->grid.mesh_topology.topology.object;
  if (!sofa_grid_group_given(object, box, 6)) return;
  const double s = grid->scale.value;
  grid->min = (SofaVec3){{grid->xmin.value * s, grid->ymin.value * s, grid->zmin.value * s}};
  grid->max = (SofaVec3){{grid->xmax.value * s, grid->ymax.value * s, grid->zmax.value * s}};
  sofa_field_touch_name(object, "min");
  sofa_field_touch_name(object, "max");
}

/* Steps and first point. An axis of one point has it in the middle (z: at the lower end). */
static void set_axes(RegularGridTopology *grid, bool origin) {
  for (int k = 0; k < 3; k++) {
    const int cells = grid->grid.n.v[k] - 1;
    const double low = grid->min.v[k], high = grid->max.v[k];
    grid->step.v[k] = cells > 0 ? (high - low) / cells : high - low;
    if (origin) grid->origin.v[k] = cells > 0 || k == 2 ? low : (low + high) / 2;
  }
  if (origin && sofa_field_is_set(&grid->grid.mesh_topology.topology.object, "p0"))
    grid->origin = grid->p0;
}

/* Counts by the width of the cells. */
static SofaErr apply_width(RegularGridTopology *grid) {
  const SofaObject *object = &grid->grid.mesh_topology.topology.object;
  const double width = grid->cell_width;
  if (width < 0 || width != width)
    return sofa_field_fail(object, "cellWidth", SOFA_ERR_RANGE, "is %g, expected 0 or more", width);
  if (!(width > 0)) return SOFA_OK;
  for (int k = 0; k < 3; k++) {
    const double n = ceil((grid->max.v[k] - grid->min.v[k]) / width) + 1;
    if (!(n >= 1 && n < 1e6))
      return sofa_field_fail(object, "cellWidth", SOFA_ERR_RANGE,
                             "is %g: there would be %g points along axis %d, expected 1 to 1e6",
                             width, n, k);
    grid->grid.n.v[k] = (int)n;
  }
  sofa_field_touch_name((SofaObject *)(uintptr_t)object, "n");
  return sofa_grid_count(&grid->grid);
}

static SofaErr grid_construct(SofaObject *object) {
  set_axes((RegularGridTopology *)object, true);
  return SOFA_OK;
}

static SofaErr grid_parsed(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  apply_legacy(grid);
  SOFA_TRY(apply_width(grid));
  set_axes(grid, true);
  return SOFA_OK;
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
  memcpy(n, grid->grid.n.v, sizeof grid->grid.n.v);
  memcpy(p0, grid->origin.v, sizeof grid->origin.v);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) axes[i][k] = i == k ? grid->step.v[k] : 0;
  return true;
}

static SofaErr grid_init(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  // where the counts became 2 the first point stays
  set_axes(grid, !grid->grid.replaced);
  return sofa_grid_fill(&grid->grid);
}

static const SofaTopologyOps grid_ops = {.has_positions = sofa_grid_has_positions,
                                         .point = grid_point,
                                         .counts = sofa_grid_counts,
                                         .grid = grid_grid,
                                         .derive = sofa_mesh_topology_derive};

extern const SofaClass sofa_RegularGridTopology_class;
const SofaClass sofa_RegularGridTopology_class = {
    .name = "RegularGridTopology",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A regular grid of points in a box, x fastest, with its hexahedra, quads, triangles "
            "and edges.",
    .base = &sofa_grid_base_class,
    .size = sizeof(RegularGridTopology),
    .fields = grid_fields,
    .n_fields = sizeof grid_fields / sizeof *grid_fields,
    .construct = grid_construct,
    .parsed = grid_parsed,
    .init = grid_init,
    .ops = {[SOFA_TOPOLOGY] = &grid_ops},
};
