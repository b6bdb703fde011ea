/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RegularGridTopology: a regular grid of points with its hexahedra, quads, triangles and edges. */
#include <math.h>
#include <string.h>
#include "grid_elements.h"
#include "mesh_topology.h"

typedef struct RegularGridTopology {
  SofaMeshTopology mesh_topology;
  SofaInts3 n;           /* points per axis */
  SofaVec3 min, max, p0; /* corners; origin used instead of min when given */
  double cell_width;
  bool compute_hexas, compute_quads, compute_triangles, compute_edges, compute_points;
  bool create_texcoords;
  /* legacy attributes, used when all of a group are given */
  int nx, ny, nz;
  SofaFloat scale, xmin, ymin, zmin, xmax, ymax, zmax;
  SofaVec3 origin, step; /* of the grid */
} RegularGridTopology;

#define GRID(member, xml, def_text, unit_text, help_text, ...)                                     \
  SOFA_FIELD(RegularGridTopology, member, xml, def_text, unit_text, help_text, __VA_ARGS__)
#define LEGACY(member, xml, def_text, unit_text, help_text)                                        \
  GRID(member, xml, def_text, unit_text, help_text, .flags = SOFA_FIELD_LEGACY)

static const SofaField grid_fields[] = {
    GRID(n, "n", "2 2 2", "1", "Number of points along x, y, z, each at least 1.", ),
    GRID(compute_hexas, "computeHexaList", "1", "", "Lists the hexahedra.", ),
    GRID(compute_quads, "computeQuadList", "1", "", "Lists the quads, inner ones included.", ),
    GRID(compute_triangles, "computeTriangleList", "1", "",
         "Lists two triangles per quad; the edges then are those of the triangles.", ),
    GRID(compute_edges, "computeEdgeList", "1", "", "Lists the edges.", ),
    GRID(compute_points, "computePointList", "1", "", "Fills the field position.", ),
    GRID(create_texcoords, "createTexCoords", "0", "", "Makes texture coordinates.",
         .flags = SOFA_FIELD_UNSUPPORTED),
    GRID(min, "min", "0 0 0", "m", "Corner of smallest coordinates.", ),
    GRID(max, "max", "1 1 1", "m", "Corner of largest coordinates.", ),
    GRID(p0, "p0", "0 0 0", "m", "First point, when given, instead of min.", ),
    GRID(cell_width, "cellWidth", "0", "m", "Width of the cells, instead of n.",
         .flags = SOFA_FIELD_UNSUPPORTED),
    LEGACY(nx, "nx", "0", "1", "Points along x; counts when nx, ny and nz are given."),
    LEGACY(ny, "ny", "0", "1", "Points along y."),
    LEGACY(nz, "nz", "0", "1", "Points along z."),
    LEGACY(scale, "scale", "1", "1", "Multiplies xmin to zmax."),
    LEGACY(xmin, "xmin", "0", "m", "min and max; count when all of xmin to zmax are given."),
    LEGACY(ymin, "ymin", "0", "m", "See xmin."),
    LEGACY(zmin, "zmin", "0", "m", "See xmin."),
    LEGACY(xmax, "xmax", "1", "m", "See xmin."),
    LEGACY(ymax, "ymax", "1", "m", "See xmin."),
    LEGACY(zmax, "zmax", "1", "m", "See xmin."),
};

/* All, some or none of a group of attributes given? A part of them is ignored, with a warning. */
static bool group_given(SofaObject *object, const char *const *names, size_t n) {
  size_t given = 0;
  for (size_t i = 0; i < n; i++) given += sofa_field_is_set(object, names[i]);
  if (given > 0 && given < n)
    sofa_object_message(object, SOFA_WARNING,
                        "%s to %s only count when all %zu are given; they are ignored", names[0],
                        names[n - 1], n);
  return given == n;
}

static void apply_legacy(RegularGridTopology *grid) {
  static const char *const counts[3] = {"nx", "ny", "nz"};
  static const char *const box[6] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
  SofaObject *object = &grid->mesh_topology.topology.object;
  if (group_given(object, counts, 3)) {
    grid->n = (SofaInts3){{grid->nx, grid->ny, grid->nz}};
    sofa_field_touch_name(object, "n");
  }
  if (group_given(object, box, 6)) {
    const double s = grid->scale.value;
    grid->min = (SofaVec3){{grid->xmin.value * s, grid->ymin.value * s, grid->zmin.value * s}};
    grid->max = (SofaVec3){{grid->xmax.value * s, grid->ymax.value * s, grid->zmax.value * s}};
    sofa_field_touch_name(object, "min");
    sofa_field_touch_name(object, "max");
  }
}

/* Steps and first point. An axis of one point has it in the middle (z: at the lower end). */
static void set_axes(RegularGridTopology *grid, bool origin) {
  for (int k = 0; k < 3; k++) {
    const int cells = grid->n.v[k] - 1;
    const double low = grid->min.v[k], high = grid->max.v[k];
    grid->step.v[k] = cells > 0 ? (high - low) / cells : high - low;
    if (origin) grid->origin.v[k] = cells > 0 || k == 2 ? low : (low + high) / 2;
  }
  if (origin && sofa_field_is_set(&grid->mesh_topology.topology.object, "p0"))
    grid->origin = grid->p0;
}

/* Points are known once the attributes are: a state before the grid can take them. */
static SofaErr count_points(RegularGridTopology *grid) {
  SofaTopology *topology = &grid->mesh_topology.topology;
  const int *n = grid->n.v;
  topology->n_points = 0;
  if (n[0] < 1 || n[1] < 1 || n[2] < 1) return SOFA_OK;
  const double all = (double)n[0] * n[1] * n[2];
  if (all > INT32_MAX / 8)
    return sofa_object_fail(&topology->object, SOFA_ERR_RANGE,
                            "a grid of %d x %d x %d points is too large", n[0], n[1], n[2]);
  topology->n_points = (size_t)all;
  return SOFA_OK;
}

static SofaErr grid_construct(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  grid->mesh_topology.topology.container = SOFA_CONTAINER_GRID;
  set_axes(grid, true);
  return count_points(grid);
}

static SofaErr grid_parsed(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  apply_legacy(grid);
  set_axes(grid, true);
  return count_points(grid);
}

static void grid_point(const SofaTopology *topology, size_t i, double *p) {
  const RegularGridTopology *grid = (const RegularGridTopology *)topology;
  const size_t nx = (size_t)grid->n.v[0], ny = (size_t)grid->n.v[1];
  if (nx == 0 || ny == 0) {
    memset(p, 0, 3 * sizeof *p);
    return;
  }
  const size_t at[3] = {i % nx, i / nx % ny, i / nx / ny};
  /* rounded once, as SOFA's builds do: boxes that end on a grid point then hold the same points */
  for (int k = 0; k < 3; k++) p[k] = fma(grid->step.v[k], (double)at[k], grid->origin.v[k]);
}

static bool grid_has_positions(const SofaTopology *topology) {
  (void)topology;
  return true;
}

static bool grid_grid(const SofaTopology *topology, int n[3], double p0[3], double dx[3],
                      double dy[3], double dz[3]) {
  const RegularGridTopology *grid = (const RegularGridTopology *)topology;
  double *const axes[3] = {dx, dy, dz};
  memcpy(n, grid->n.v, sizeof grid->n.v);
  memcpy(p0, grid->origin.v, sizeof grid->origin.v);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) axes[i][k] = i == k ? grid->step.v[k] : 0;
  return true;
}

static SofaErr fill_points(RegularGridTopology *grid) {
  SofaTopology *topology = &grid->mesh_topology.topology;
  sofa_topology_cut_link(topology, SOFA_ELEMENT_POINT);
  SOFA_TRY(SOFA_RESIZE(topology->object.ctx, &topology->mesh.position, topology->n_points));
  for (size_t i = 0; i < topology->n_points; i++)
    grid_point(topology, i, topology->mesh.position.data[i].v);
  return SOFA_OK;
}

static SofaErr grid_init(SofaObject *object) {
  RegularGridTopology *grid = (RegularGridTopology *)object;
  SofaTopology *topology = &grid->mesh_topology.topology;
  const int *n = grid->n.v;
  bool origin = true;
  if (n[0] < 1 || n[1] < 1 || n[2] < 1) {
    sofa_object_message(object, SOFA_WARNING,
                        "a grid of %d x %d x %d points does not exist; 2 x 2 x 2 is used", n[0],
                        n[1], n[2]);
    grid->n = (SofaInts3){{2, 2, 2}};
    origin = false;
  }
  set_axes(grid, origin);
  SOFA_TRY(count_points(grid));
  if (grid->compute_points) SOFA_TRY(fill_points(grid));
  const SofaGridLists lists = {.hexas = grid->compute_hexas,
                               .quads = grid->compute_quads,
                               .triangles = grid->compute_triangles,
                               .edges = grid->compute_edges};
  SOFA_TRY(sofa_topology_clear(topology, false));
  SOFA_TRY(sofa_grid_elements(object->ctx, grid->n.v, &lists, &topology->mesh));
  sofa_topology_touch(topology, UINT32_MAX);
  return SOFA_OK;
}

static const SofaTopologyOps grid_ops = {.has_positions = grid_has_positions,
                                         .point = grid_point,
                                         .grid = grid_grid,
                                         .derive = sofa_mesh_topology_derive};

extern const SofaClass sofa_RegularGridTopology_class;
const SofaClass sofa_RegularGridTopology_class = {
    .name = "RegularGridTopology",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A regular grid of points in a box, x fastest, with its hexahedra, quads, triangles "
            "and edges.",
    .base = &sofa_mesh_topology_base_class,
    .size = sizeof(RegularGridTopology),
    .fields = grid_fields,
    .n_fields = sizeof grid_fields / sizeof *grid_fields,
    .construct = grid_construct,
    .parsed = grid_parsed,
    .init = grid_init,
    .ops = {[SOFA_TOPOLOGY] = &grid_ops},
};
