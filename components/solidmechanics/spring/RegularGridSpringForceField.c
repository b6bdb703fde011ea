/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RegularGridSpringForceField: springs along the lines and diagonals of a regular grid. */
#include "behavior/state_division.h"
#include "topology/topology.h"
#include "components/solidmechanics/spring/SpringForceField.h"
#include "math/vec.h"

enum { QUIRK_GRID_SPRINGS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_GRID_SPRINGS, "grid-springs",
     "RegularGridSpringForceField's own springs are not in assembled matrices, nor in its energy",
     "test_spring_kinds.quirks_leave_matrices_incomplete"},
};

enum { LINES, QUADS, CUBES, N_GROUPS };

typedef struct RegularGridSpringForceField {
  SpringForceField springs;
  double stiffness[N_GROUPS], damping[N_GROUPS]; /* N and N s: divided by the rest length */
  size_t n_listed;                               /* springs that are not of the grid */
} RegularGridSpringForceField;

#define GROUP_ROWS(group, xml, what)                                                               \
  SOFA_FIELD(RegularGridSpringForceField, stiffness[group], xml "Stiffness", "100", "N",           \
             "stiffness of the springs along " what ", divided by their rest lengths",             \
             .aliases = "stiffness", .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),   \
      SOFA_FIELD(RegularGridSpringForceField, damping[group], xml "Damping", "5", "N s",           \
                 "damping of the springs along " what ", divided by their rest lengths",           \
                 .aliases = "damping", .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP)

static const SofaField fields[] = {
    GROUP_ROWS(LINES, "lines", "the lines of the grid"),
    GROUP_ROWS(QUADS, "quads", "the diagonals of its faces"),
    GROUP_ROWS(CUBES, "cubes", "the diagonals of its cells"),
};

/* Kinds of spring: from one corner of a cell to another, corners as bits x y z. */
static const struct {
  int group;
  unsigned from, to;
} kinds[] = {
    {LINES, 0, 1}, {LINES, 0, 2}, {LINES, 0, 4}, {QUADS, 0, 3}, {QUADS, 1, 2},
    {QUADS, 0, 5}, {QUADS, 1, 4}, {QUADS, 0, 6}, {QUADS, 2, 4}, {CUBES, 0, 7},
    {CUBES, 1, 6}, {CUBES, 2, 5}, {CUBES, 4, 3},
};

typedef struct Grid {
  int n[3];
  double step[3][3];
} Grid;

static double length_of(const Grid *grid, unsigned from, unsigned to) {
  double d[3] = {0, 0, 0};
  for (unsigned axis = 0; axis < 3; axis++) {
    const double sign = (double)(to >> axis & 1) - (double)(from >> axis & 1);
    for (int i = 0; i < 3; i++) d[i] += sign * grid->step[axis][i];
  }
  return sofa_vec3_norm(d);
}

/* All springs of a kind: the cells are those that have both of its corners. */
static SofaErr add_kind(RegularGridSpringForceField *r, const Grid *grid, size_t kind) {
  const unsigned from = kinds[kind].from, to = kinds[kind].to, used = from | to;
  const int group = kinds[kind].group;
  const double length = length_of(grid, from, to);
  SofaSpring spring = {.stiffness = r->stiffness[group] / length,
                       .damping = r->damping[group] / length,
                       .length = length,
                       .enabled = true};
  int end[3], corner[2][3];
  for (unsigned i = 0; i < 3; i++) {
    end[i] = grid->n[i] - (int)(used >> i & 1);
    corner[0][i] = (int)(from >> i & 1);
    corner[1][i] = (int)(to >> i & 1);
  }
#define POINT(c, x, y, z)                                                                          \
  (uint32_t)((corner[c][0] + (x)) +                                                                \
             grid->n[0] * ((corner[c][1] + (y)) + grid->n[1] * (corner[c][2] + (z))))
  for (int z = 0; z < end[2]; z++) {
    for (int y = 0; y < end[1]; y++) {
      for (int x = 0; x < end[0]; x++) {
        spring.m1 = POINT(0, x, y, z);
        spring.m2 = POINT(1, x, y, z);
        SOFA_TRY(SOFA_APPEND(r->springs.force_field.object.ctx, &r->springs.springs, &spring));
      }
    }
  }
#undef POINT
  return SOFA_OK;
}

static SofaErr add_grid(RegularGridSpringForceField *r, const Grid *grid) {
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    const int group = kinds[kind].group;
    if (r->stiffness[group] == 0 && r->damping[group] == 0) continue;
    SOFA_TRY(add_kind(r, grid, kind));
  }
  return SOFA_OK;
}

/* ---- grids that are divided among processes ---- */

/* Steps from the corners of a cell. */
static Grid grid_of_cell(const SofaTopology *topology, const SofaHexa *cell) {
  static const int next[3] = {1, 3, 4}; /* corner beside the first one along each axis */
  Grid grid = {.n = {0}};
  double first[3], other[3];
  sofa_topology_point(topology, cell->v[0], first);
  for (int axis = 0; axis < 3; axis++) {
    sofa_topology_point(topology, cell->v[next[axis]], other);
    sofa_vec3_sub(other, first, grid.step[axis]);
  }
  return grid;
}

/* A spring between two corners belongs to one of the cells that have both: along an axis across
 * which it does not go, to the cell behind it, at the far end of the grid to the last one. */
static bool is_of_cell(const Grid *grid, const int at[3], unsigned corner, unsigned used) {
  for (unsigned axis = 0; axis < 3; axis++)
    if (!(used >> axis & 1) && (corner >> axis & 1) && at[axis] < grid->n[axis] - 2) return false;
  return true;
}

/* Those of a kind in one cell: along the axes that it does not use it may begin at both sides. */
static SofaErr add_kind_of_cell(RegularGridSpringForceField *r, const Grid *grid, const int at[3],
                                const SofaHexa *cell, size_t kind) {
  static const uint8_t corner_of[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* by bits x y z */
  const unsigned from = kinds[kind].from, to = kinds[kind].to, used = from | to;
  const double length = length_of(grid, from, to);
  SofaSpring spring = {.stiffness = r->stiffness[kinds[kind].group] / length,
                       .damping = r->damping[kinds[kind].group] / length,
                       .length = length,
                       .enabled = true};
  for (unsigned side = 0; side < 8; side++) {
    if ((side & used) || !is_of_cell(grid, at, side, used)) continue;
    spring.m1 = cell->v[corner_of[from | side]];
    spring.m2 = cell->v[corner_of[to | side]];
    SOFA_TRY(SOFA_APPEND(r->springs.force_field.object.ctx, &r->springs.springs, &spring));
  }
  return SOFA_OK;
}

static SofaErr add_part(RegularGridSpringForceField *r, const SofaTopology *topology,
                        const SofaDivision *division) {
  const SofaHexas *cells = &topology->mesh.hexahedra;
  int n[3] = {0};
  if (!sofa_topology_counts(topology, n) || !cells->n)
    return sofa_object_undivided(&r->springs.force_field.object,
                                 "a divided mesh that is no regular grid with hexahedra");
  for (size_t e = 0; e < cells->n; e++) {
    const uint32_t number = division->elements[SOFA_ELEMENT_HEXA].data[e];
    const uint32_t nx = (uint32_t)n[0] - 1, ny = (uint32_t)n[1] - 1;
    const int at[3] = {(int)(number % nx), (int)(number / nx % ny), (int)(number / nx / ny)};
    Grid grid = grid_of_cell(topology, &cells->data[e]);
    sofa_copy(grid.n, n, sizeof grid.n);
    for (size_t kind = 0; kind < SOFA_COUNT(kinds); kind++) {
      const int group = kinds[kind].group;
      if (r->stiffness[group] == 0 && r->damping[group] == 0) continue;
      SOFA_TRY(add_kind_of_cell(r, &grid, at, &cells->data[e], kind));
    }
  }
  return SOFA_OK;
}

static SofaErr grid_spring_init(SofaObject *object) {
  RegularGridSpringForceField *r = (RegularGridSpringForceField *)object;
  const SofaForceField *ff = &r->springs.force_field;
  Grid grid;
  r->n_listed = r->springs.springs.n;
  if (ff->state[0] != ff->state[1]) {
    sofa_object_message(object, SOFA_WARNING,
                        "object1 and object2 differ: there are no springs along the grid");
    return SOFA_OK;
  }
  const SofaTopology *topology = sofa_node_topology(ff->state[0]->object.node);
  if (topology && topology->division) return add_part(r, topology, topology->division);
  if (!topology ||
      !sofa_topology_grid(topology, grid.n, NULL, grid.step[0], grid.step[1], grid.step[2])) {
    sofa_object_message(object, SOFA_WARNING,
                        "the state has no regular grid: there are no springs along it");
    return SOFA_OK;
  }
  return add_grid(r, &grid);
}

static SofaErr grid_spring_bwd_init(SofaObject *object) {
  RegularGridSpringForceField *r = (RegularGridSpringForceField *)object;
  SpringForceField *s = &r->springs;
  if (s->springs.n <= r->n_listed || !sofa_quirk(object, QUIRK_GRID_SPRINGS)) return SOFA_OK;
  s->n_assembled = r->n_listed;
  s->force_field.partial_tangent = true;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", NULL};

SOFA_CLASS(RegularGridSpringForceField) = {
    SOFA_NAMED(RegularGridSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Linear damped springs along the lines and diagonals of a regular grid; stiffness and "
            "damping are divided by the rest length, which is the grid's.",
    .base = &sofa_SpringForceField_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = grid_spring_init,
    .bwd_init = grid_spring_bwd_init,
};
