/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What grids of points share: their fields, counts and lists of elements. */
#include "grid_topology.h"
#include "topology/division.h"
#include "topology/partition.h"

#include <string.h>
#include "grid_elements.h"

typedef SofaGridTopology SofaSelf; /* of SOFA_ROW */

static const SofaField grid_fields[] = {
    SOFA_ROW(n, "n", "2 2 2", "1", "Number of points along x, y, z, each at least 1.", ),
    SOFA_ROW(compute_hexas, "computeHexaList", "1", "", "Lists the hexahedra.", ),
    SOFA_ROW(compute_quads, "computeQuadList", "1", "", "Lists the quads, inner ones included.", ),
    SOFA_ROW(compute_triangles, "computeTriangleList", "1", "",
             "Lists two triangles per quad; the edges then are those of the triangles.", ),
    SOFA_ROW(compute_edges, "computeEdgeList", "1", "", "Lists the edges.", ),
    SOFA_ROW(compute_points, "computePointList", "1", "", "Fills the field position.", ),
    SOFA_ROW(create_texcoords, "createTexCoords", "0", "",
             "Fills the field uv with texture coordinates from 0 to 1; only RegularGridTopology "
             "does.", ),
    SOFA_ROW_LEGACY(nx, "nx", "0", "1", "Points along x; counts when nx, ny and nz are given."),
    SOFA_ROW_LEGACY(ny, "ny", "0", "1", "Points along y."),
    SOFA_ROW_LEGACY(nz, "nz", "0", "1", "Points along z."),
};

bool sofa_grid_group_given(SofaObject *object, const char *const *names, size_t n) {
  size_t given = 0;
  for (size_t i = 0; i < n; i++) given += sofa_field_is_set(object, names[i]);
  if (given > 0 && given < n)
    sofa_object_message(object, SOFA_WARNING,
                        "%s to %s only count when all %zu are given; they are ignored", names[0],
                        names[n - 1], n);
  return given == n;
}

bool sofa_legacy_box_take(SofaObject *object, const SofaLegacyBox *box, SofaVec3 *min,
                          SofaVec3 *max) {
  static const char *const names[6] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
  if (!sofa_grid_group_given(object, names, 6)) return false;
  for (int k = 0; k < 3; k++) {
    min->v[k] = box->low[k].value * box->scale.value;
    max->v[k] = box->high[k].value * box->scale.value;
  }
  return true;
}

SofaErr sofa_grid_count(SofaGridTopology *grid) {
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

/* Points are known once the attributes are: a state before the grid can take them. */
static SofaErr grid_construct(SofaObject *object) {
  SofaGridTopology *grid = (SofaGridTopology *)object;
  grid->mesh_topology.topology.container = SOFA_CONTAINER_GRID;
  return sofa_grid_count(grid);
}

static SofaErr grid_parsed(SofaObject *object) {
  static const char *const counts[3] = {"nx", "ny", "nz"};
  SofaGridTopology *grid = (SofaGridTopology *)object;
  if (sofa_grid_group_given(object, counts, 3)) {
    grid->n = (SofaInts3){{grid->nx, grid->ny, grid->nz}};
    sofa_field_touch_name(object, "n");
  }
  return sofa_grid_count(grid);
}

void sofa_grid_place(const SofaGridTopology *grid, size_t i, double at[3]) {
  const SofaDivision *division = grid->mesh_topology.topology.division;
  const size_t nx = grid->n.v[0] > 0 ? (size_t)grid->n.v[0] : 1;
  const size_t ny = grid->n.v[1] > 0 ? (size_t)grid->n.v[1] : 1;
  if (division) i = division->number.data[i];
  at[0] = (double)(i % nx);
  at[1] = (double)(i / nx % ny);
  at[2] = (double)(i / nx / ny);
}

static SofaErr fill_points(SofaTopology *topology) {
  sofa_topology_cut_link(topology, SOFA_ELEMENT_POINT);
  SOFA_TRY(SOFA_RESIZE(topology->object.ctx, &topology->mesh.position, topology->n_points));
  for (size_t i = 0; i < topology->n_points; i++)
    sofa_topology_point(topology, i, topology->mesh.position.data[i].v);
  return SOFA_OK;
}

static SofaGridLists lists_of(const SofaGridTopology *grid) {
  return (SofaGridLists){.hexas = grid->compute_hexas,
                         .quads = grid->compute_quads,
                         .triangles = grid->compute_triangles,
                         .edges = grid->compute_edges};
}

/* All points, where they are wanted, and elements. */
static SofaErr fill_whole(SofaGridTopology *grid) {
  SofaTopology *topology = &grid->mesh_topology.topology;
  const SofaGridLists lists = lists_of(grid);
  SOFA_TRY(sofa_grid_count(grid));
  if (grid->compute_points) SOFA_TRY(fill_points(topology));
  SOFA_TRY(sofa_topology_clear(topology, false));
  return sofa_grid_elements(topology->object.ctx, grid->n.v, &lists, &topology->mesh);
}

SofaErr sofa_grid_fill(SofaGridTopology *grid) {
  SofaTopology *topology = &grid->mesh_topology.topology;
  grid->waits = false;
  if (!topology->division) SOFA_TRY(fill_whole(grid)); /* else it has its part */
  else if (grid->compute_points) SOFA_TRY(fill_points(topology));
  sofa_topology_touch(topology, UINT32_MAX);
  return SOFA_OK;
}

SofaErr sofa_grid_make_whole(SofaTopology *topology) {
  SofaGridTopology *grid = (SofaGridTopology *)topology;
  return grid->waits ? sofa_grid_fill(grid) : SOFA_OK;
}

/* ---- division ---- */

/* The points of the run of this process. */
static SofaErr add_points(const SofaTopology *topology, SofaMeshSlice *slice) {
  SofaContext *ctx = topology->object.ctx;
  const size_t first = slice->first[SOFA_ELEMENT_POINT];
  const size_t end = sofa_slice_begin(slice->n_whole[SOFA_ELEMENT_POINT],
                                      sofa_process_rank(ctx) + 1, sofa_process_count(ctx));
  SOFA_TRY(SOFA_RESIZE(ctx, &slice->mesh.position, end - first));
  for (size_t i = first; i < end; i++)
    sofa_topology_point(topology, i, slice->mesh.position.data[i - first].v);
  return SOFA_OK;
}

/* Do all processes make the same grid? */
static SofaErr check_same(const SofaGridTopology *grid) {
  const SofaTopology *topology = &grid->mesh_topology.topology;
  const SofaObject *object = &topology->object;
  const SofaGridLists lists = lists_of(grid);
  double of[14] = {grid->waits, grid->n.v[0], grid->n.v[1],    grid->n.v[2],
                   lists.hexas, lists.quads,  lists.triangles, lists.edges};
  bool same;
  sofa_topology_point(topology, 0, of + 8);
  sofa_topology_point(topology, topology->n_points - 1, of + 11);
  SOFA_TRY(sofa_process_same(object->ctx, sizeof of, of, &same));
  return same ? SOFA_OK
              : sofa_object_fail(object, SOFA_ERR_SCENE, "is another grid on another process");
}

static SofaErr make_part(SofaGridTopology *grid, SofaDivision *division) {
  SofaTopology *topology = &grid->mesh_topology.topology;
  SofaContext *ctx = topology->object.ctx;
  const SofaGridLists lists = lists_of(grid);
  SofaMeshSlice slice = {0};
  uint32_t *part = NULL;
  SofaErr err;
  SOFA_GO(err, done, sofa_grid_slice(ctx, grid->n.v, &lists, &slice));
  SOFA_GO(err, done, add_points(topology, &slice));
  part = sofa_alloc(ctx, sofa_mesh_slice_n_volumes(&slice), sizeof *part);
  SOFA_GO(err, done, part ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, done, sofa_partition(ctx, &slice, ctx->processes->partition, part));
  err = sofa_division_make_sliced(ctx, &slice, part, division, &topology->mesh);
done:
  sofa_mesh_slice_free(ctx, &slice);
  sofa_free(ctx, part);
  return err;
}

SofaErr sofa_grid_divide(SofaTopology *topology) {
  SofaGridTopology *grid = (SofaGridTopology *)topology;
  SofaContext *ctx = topology->object.ctx;
  const SofaGridLists lists = lists_of(grid);
  const size_t n = sofa_grid_n_hexas(grid->n.v, &lists);
  SOFA_TRY(check_same(grid));
  if (!grid->waits || n == 0) return SOFA_OK; /* also where n is linked */
  SOFA_TRY(sofa_division_check(&topology->object, n));
  SofaDivision *division = sofa_alloc(ctx, 1, sizeof *division);
  if (!division) return SOFA_ERR_MEMORY;
  sofa_topology_cut_link(topology, SOFA_ELEMENT_POINT);
  sofa_mesh_free(ctx, &topology->mesh);
  sofa_topology_changed(topology);
  const SofaErr err = make_part(grid, division);
  if (err != SOFA_OK) {
    sofa_free(ctx, division);
    return err;
  }
  grid->waits = false;
  topology->division = division;
  topology->n_points = division->n;
  if (!grid->compute_points) sofa_list_free(ctx, &topology->mesh.position);
  sofa_topology_touch(topology, UINT32_MAX);
  return SOFA_OK;
}

/* Before the init of the classes, which fill the grid. */
static SofaErr grid_init(SofaObject *object) {
  SofaGridTopology *grid = (SofaGridTopology *)object;
  const int *n = grid->n.v;
  if (n[0] < 1 || n[1] < 1 || n[2] < 1) {
    sofa_object_message(object, SOFA_WARNING,
                        "a grid of %d x %d x %d points does not exist; 2 x 2 x 2 is used", n[0],
                        n[1], n[2]);
    grid->n = (SofaInts3){{2, 2, 2}};
    grid->replaced = true;
  }
  return SOFA_OK;
}

bool sofa_grid_has_positions(const SofaTopology *topology) {
  (void)topology;
  return true;
}

void sofa_grid_counts(const SofaTopology *topology, int n[3]) {
  memcpy(n, ((const SofaGridTopology *)topology)->n.v, 3 * sizeof *n);
}

const SofaClass sofa_grid_base_class = {
    .name = "GridBase",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A grid of points, x fastest, with its hexahedra, quads, triangles and edges.",
    .base = &sofa_mesh_topology_base_class,
    .size = sizeof(SofaGridTopology),
    SOFA_FIELDS(grid_fields),
    .abstract = true,
    .construct = grid_construct,
    .parsed = grid_parsed,
    .init = grid_init,
};
