/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseGridTopology: the cells of a regular grid that a surface crosses or encloses. */
#include <math.h>
#include <string.h>
#include "numerics/io/mesh_file.h"
#include "sparse_topology.h"

typedef SofaSparseTopology SofaSelf; /* of SOFA_ROW */

static const SofaField sparse_fields[] = {
    SOFA_ROW(options.fill_weighted, "fillWeighted", "1", "",
             "Cells that the surface crosses count half in stiffness and mass.", ),
    SOFA_ROW(options.only_inside, "onlyInsideCells", "0", "",
             "Leaves out the cells that the surface crosses.", ),
    SOFA_ROW(n, "n", "2 2 2", "1", "Number of points along x, y, z, each at least 2.", ),
    SOFA_ROW(
        min, "min", "0 0 0", "m",
        "Corner of smallest coordinates; default, with max: the box of the surface, 1 % larger on "
        "each side.", ),
    SOFA_ROW(max, "max", "0 0 0", "m", "Corner of largest coordinates.", ),
    SOFA_ROW(cell_width, "cellWidth", "0", "m",
             "Width of the cells, instead of n, when positive.", ),
    SOFA_ROW(n_finer, "nbVirtualFinerLevels", "0", "1",
             "The grid is made of one whose cells are so many times halved.",
             .range = SOFA_WITHIN(0, 20)),
    SOFA_ROW(data_resolution, "dataResolution", "0 0 0", "1",
             "Voxels along x, y, z of a .raw file, each at least 1.", ),
    SOFA_ROW(voxel_size, "voxelSize", "1 1 1", "m", "Edges of a voxel of a .raw file, each > 0.", ),
    SOFA_ROW(marching_cube_step, "marchingCubeStep", "1", "1",
             "The surface around voxels takes every so many of them.",
             .range = SOFA_WITHIN(1, 10000)),
    SOFA_ROW(convolution_size, "convolutionSize", "0", "1",
             "It smooths them first by means over cubes of so many voxels; 0: not.",
             .range = SOFA_WITHIN(0, 64)),
    SOFA_ROW(surface_points, "surfacePosition", NULL, "m",
             "Points of the surface around voxels; empty for a grid made of a surface.",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(surface_triangles, "surfaceTriangles", NULL, "1",
             "Its triangles, outwards. A topology below without points and triangles gets both.",
             .flags = SOFA_FIELD_OUTPUT),
    {.name = "facets",
     .type = &sofa_type_index_rows,
     .offset = offsetof(SofaSparseTopology, facets),
     .unit = "1",
     .help = "Polygons of the surface, in addition to triangles and quads; used without a file."},
};

static void free_levels(SofaSparseTopology *s) {
  SofaContext *ctx = s->mesh_topology.topology.object.ctx;
  for (size_t i = 0; i < s->n_levels; i++) sofa_sparse_level_free(ctx, &s->levels[i]);
  sofa_free(ctx, s->levels);
  s->levels = NULL;
  s->n_levels = 0;
}

static void free_given(SofaSparseTopology *s) {
  SofaContext *ctx = s->mesh_topology.topology.object.ctx;
  sofa_list_free(ctx, &s->given_points);
  sofa_list_free(ctx, &s->given_triangles);
  sofa_list_free(ctx, &s->given_quads);
}

static void sparse_destroy(SofaObject *object) {
  free_levels((SofaSparseTopology *)object);
  free_given((SofaSparseTopology *)object);
}

/* ---- surface ---- */

static SofaErr add_rows(SofaContext *ctx, SofaFacets *out, const SofaIndexRows *rows) {
  for (size_t i = 0, at = 0; i < rows->end.n; at = rows->end.data[i++])
    SOFA_TRY(sofa_facets_append(ctx, out, (const uint32_t *)rows->ids.data + at,
                                rows->end.data[i] - at));
  return SOFA_OK;
}

/* Triangles and quads of a mesh. */
static SofaErr add_faces(SofaContext *ctx, SofaFacets *out, const SofaMesh *mesh) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};
  for (size_t k = 0; k < 2; k++) {
    const SofaElements e = sofa_mesh_elements(mesh, kinds[k]);
    for (size_t i = 0; i < e.n; i++)
      SOFA_TRY(sofa_facets_append(ctx, out, e.v + i * e.width, e.width));
  }
  return SOFA_OK;
}

/* Faces of OBJ files keep all their corners; other formats have triangles and quads. */
static SofaErr read_file(const SofaObject *object, const char *field, const SofaFileName *file,
                         SofaFacets *out) {
  SofaContext *ctx = object->ctx;
  SofaObjData obj = {0};
  SofaMeshData data = {0};
  SofaErr err = sofa_mesh_read_file(object, field, file, &data, &obj);
  if (err == SOFA_OK) {
    const SofaVec3s *points = obj.positions.n ? &obj.positions : &data.mesh.position;
    err = sofa_list_copy(ctx, &out->vertex, points, sizeof *points->data);
  }
  if (err == SOFA_OK)
    err = obj.faces.end.n ? add_rows(ctx, out, &obj.faces) : add_faces(ctx, out, &data.mesh);
  sofa_obj_data_free(ctx, &obj);
  sofa_mesh_data_free(ctx, &data);
  return err;
}

/* Saved scenes have the surface, not the grid that was made of it. */
static SofaErr keep_given(SofaSparseTopology *s) {
  const SofaMesh *mesh = &s->mesh_topology.topology.mesh;
  SofaContext *ctx = s->mesh_topology.topology.object.ctx;
  SOFA_TRY(sofa_list_copy(ctx, &s->given_points, &mesh->position, sizeof *mesh->position.data));
  SOFA_TRY(
      sofa_list_copy(ctx, &s->given_triangles, &mesh->triangles, sizeof *mesh->triangles.data));
  return sofa_list_copy(ctx, &s->given_quads, &mesh->quads, sizeof *mesh->quads.data);
}

static const SofaField *sparse_saved(const SofaObject *object, const SofaField *field) {
  static const SofaField given[] = {SOFA_ROW(given_points, "position", NULL, "m", ""),
                                    SOFA_ROW(given_triangles, "triangles", NULL, "1", ""),
                                    SOFA_ROW(given_quads, "quads", NULL, "1", "")};
  (void)object;
  for (size_t i = 0; i < SOFA_COUNT(given); i++)
    if (strcmp(given[i].name, field->name) == 0) return &given[i];
  return strcmp(field->name, "hexahedra") == 0 ? NULL : field;
}

/* The surface in the fields. */
static SofaErr take_fields(SofaSparseTopology *s, SofaFacets *out) {
  SofaTopology *t = &s->mesh_topology.topology;
  SofaContext *ctx = t->object.ctx;
  SOFA_TRY(keep_given(s));
  SOFA_TRY(sofa_list_copy(ctx, &out->vertex, &t->mesh.position, sizeof *t->mesh.position.data));
  SOFA_TRY(add_rows(ctx, out, &s->facets));
  return add_faces(ctx, out, &t->mesh);
}

/* Points without facets have a grid of the cells around them. */
static SofaErr check_surface(const SofaObject *object, const SofaFacets *f) {
  if (!f->vertex.n)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "there is nothing to fill: neither a file nor points");
  for (size_t i = 0; i < f->corner.n; i++)
    if (f->corner.data[i] >= f->vertex.n)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "a facet of the surface has the vertex %u: there are %zu",
                              f->corner.data[i], f->vertex.n);
  for (size_t i = 0; i < f->vertex.n; i++)
    for (int k = 0; k < 3; k++)
      if (!isfinite(f->vertex.data[i].v[k]))
        return sofa_object_fail(object, SOFA_ERR_NOT_FINITE,
                                "vertex %zu of the surface is not finite", i);
  return SOFA_OK;
}

SofaErr sofa_sparse_read_body(SofaSparseTopology *s, const char *field, const SofaFileName *file,
                              double stiffness, double mass, SofaSparseBodies *out) {
  const SofaObject *object = &s->mesh_topology.topology.object;
  const SofaSparseBody empty = {.stiffness = stiffness, .mass = mass};
  SOFA_TRY(SOFA_APPEND(object->ctx, out, &empty));
  SofaFacets *facets = &out->data[out->n - 1].facets;
  SOFA_TRY(file ? read_file(object, field, file, facets) : take_fields(s, facets));
  return check_surface(object, facets);
}

static SofaErr take_surface(SofaSparseTopology *s, SofaSparseBodies *out) {
  const SofaFileName *file = &s->mesh_topology.topology.filename;
  const bool given = file->text && *file->text;
  return sofa_sparse_read_body(s, "filename", given ? file : NULL, 1, 1, out);
}

/* ---- grid ---- */

static SofaErr sparse_construct(SofaObject *object) {
  ((SofaTopology *)object)->container = SOFA_CONTAINER_SPARSE_GRID;
  ((SofaSparseTopology *)object)->take_bodies = take_surface;
  return SOFA_OK;
}

/* min and max by the surfaces, when both are the origin. */
static void set_box(SofaSparseTopology *s, const SofaSparseBodies *bodies) {
  const SofaVec3 zero = {{0, 0, 0}};
  if (memcmp(&s->min, &zero, sizeof zero) != 0 || memcmp(&s->max, &zero, sizeof zero) != 0) return;
  for (int k = 0; k < 3; k++) {
    double low = bodies->data[0].facets.vertex.data[0].v[k], high = low;
    for (size_t b = 0; b < bodies->n; b++) {
      const SofaVec3s *vertex = &bodies->data[b].facets.vertex;
      for (size_t i = 0; i < vertex->n; i++) {
        low = fmin(low, vertex->data[i].v[k]);
        high = fmax(high, vertex->data[i].v[k]);
      }
    }
    const double more = (high - low) / 100.0;
    s->min.v[k] = low - more;
    s->max.v[k] = high + more;
  }
  sofa_field_touch_name(&s->mesh_topology.topology.object, "min");
  sofa_field_touch_name(&s->mesh_topology.topology.object, "max");
}

static SofaErr set_counts(SofaSparseTopology *s) {
  const SofaObject *object = &s->mesh_topology.topology.object;
  double n_points = 1;
  for (int k = 0; k < 3; k++) {
    const double extent = s->max.v[k] - s->min.v[k];
    if (!(extent > 0) || !isfinite(extent))
      return sofa_field_fail(object, "max", SOFA_ERR_RANGE,
                             "the grid is flat along axis %d: from %g to %g m", k, s->min.v[k],
                             s->max.v[k]);
    const double by_width = s->cell_width > 0 ? ceil(extent / s->cell_width) + 1 : s->n.v[k];
    if (by_width < 2)
      return sofa_field_fail(object, "n", SOFA_ERR_RANGE,
                             "%d points along axis %d, expected 2 or "
                             "more",
                             s->n.v[k], k);
    n_points *= (by_width - 1) * ldexp(1, s->n_finer) + 1;
    if (n_points > INT32_MAX / 8)
      return sofa_field_fail(object, s->cell_width > 0 ? "cellWidth" : "n", SOFA_ERR_RANGE,
                             "the grid has too many points");
    s->n.v[k] = (int)by_width;
  }
  return SOFA_OK;
}

/* image: NULL, or what the grid is made of instead of bodies. */
static SofaErr make_levels(SofaSparseTopology *s, const SofaSparseBodies *bodies,
                           const SofaVoxelImage *image) {
  const SofaObject *object = &s->mesh_topology.topology.object;
  free_levels(s);
  s->levels = sofa_alloc(object->ctx, (size_t)s->n_finer + 1, sizeof *s->levels);
  if (!s->levels) return SOFA_ERR_MEMORY;
  s->n_levels = (size_t)s->n_finer + 1;
  SofaSparseLevel *finest = &s->levels[0];
  for (int k = 0; k < 3; k++) {
    finest->n[k] = ((s->n.v[k] - 1) << s->n_finer) + 1;
    finest->min[k] = s->min.v[k];
    finest->step[k] = (s->max.v[k] - s->min.v[k]) / (finest->n[k] - 1);
  }
  if (image) SOFA_TRY(sofa_sparse_fill_image(s, image, finest));
  else SOFA_TRY(sofa_sparse_level_build(object, bodies, &s->options, finest));
  for (size_t i = 1; i < s->n_levels; i++)
    SOFA_TRY(sofa_sparse_level_coarsen(object->ctx, &s->options, &s->levels[i - 1], &s->levels[i]));
  if (s->levels[s->n_levels - 1].hexas.n) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_GEOMETRY, "no cell of the grid %s",
                          image ? "has a voxel" : "is in the surface");
}

/* The coarsest level becomes the topology's points and hexahedra. */
static SofaErr publish(SofaSparseTopology *s) {
  SofaTopology *t = &s->mesh_topology.topology;
  SofaContext *ctx = t->object.ctx;
  const SofaSparseLevel *l = &s->levels[s->n_levels - 1];
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++)
    sofa_topology_cut_link(t, (SofaElementKind)kind);
  SOFA_TRY(sofa_topology_clear(t, true));
  SOFA_TRY(sofa_list_copy(ctx, &t->mesh.position, &l->points, sizeof *l->points.data));
  SOFA_TRY(sofa_list_copy(ctx, &t->mesh.hexahedra, &l->hexas, sizeof *l->hexas.data));
  t->n_points = l->points.n;
  sofa_topology_touch(t, UINT32_MAX);
  return SOFA_OK;
}

static SofaErr sparse_init(SofaObject *object) {
  SofaSparseTopology *s = (SofaSparseTopology *)object;
  SofaSparseBodies bodies = {0};
  SofaVoxelImage image = {0};
  bool voxels = false;
  SofaErr err = SOFA_OK;
  // several bodies are surfaces
  if (s->take_bodies == take_surface)
    SOFA_GO(err, done, sofa_sparse_take_image(s, &image, &voxels));
  if (!voxels) {
    SOFA_GO(err, done, s->take_bodies(s, &bodies));
    set_box(s, &bodies);
  }
  SOFA_GO(err, done, set_counts(s));
  SOFA_GO(err, done, make_levels(s, &bodies, voxels ? &image : NULL));
  err = publish(s);
done:
  if (err != SOFA_OK) free_levels(s); // they are whole and those of the lists, or not there
  sofa_sparse_bodies_free(object->ctx, &bodies);
  sofa_voxel_image_free(object->ctx, &image);
  return err;
}

/* ---- operations ---- */

static bool has_positions(const SofaTopology *topology) {
  (void)topology;
  return true;
}

static bool sparse_find(const SofaTopology *topology, const double p[3], uint32_t *hexa,
                        double f[3]) {
  const SofaSparseTopology *s = (const SofaSparseTopology *)topology;
  if (!s->n_levels) return false;
  const SofaSparseLevel *l = &s->levels[s->n_levels - 1];
  if (!s->options.ramified || s->n_levels == 1) {
    *hexa = sofa_sparse_find_hexa(l, p, f);
    return *hexa != SOFA_NO_CELL;
  }
  // several hexahedra may share a place: the finest level tells which one
  *hexa = sofa_sparse_find_hexa(&s->levels[0], p, f);
  if (*hexa == SOFA_NO_CELL) return false;
  for (size_t i = 0; i + 1 < s->n_levels; i++) *hexa = s->levels[i].parent.data[*hexa];
  sofa_sparse_nearest_cell(l, p, f);
  return true;
}

static bool sparse_factors(const SofaTopology *topology, const double **stiffness,
                           const double **mass) {
  const SofaSparseTopology *s = (const SofaSparseTopology *)topology;
  if (!s->n_levels) return false;
  *stiffness = s->levels[s->n_levels - 1].stiffness.data;
  *mass = s->levels[s->n_levels - 1].mass.data;
  return true;
}

static const SofaTopologyOps sparse_ops = {
    .has_positions = has_positions, .find_hexa = sparse_find, .factors = sparse_factors};

SOFA_CLASS(SparseGridTopology) = {
    .name = "SparseGridTopology",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help =
        "The hexahedra of a regular grid that a closed surface crosses or encloses, or that have "
        "voxels of an image (.raw, .voxel, a VoxelGridLoader), and their points.",
    .base = &sofa_mesh_topology_base_class,
    .size = sizeof(SofaSparseTopology),
    SOFA_FIELDS(sparse_fields),
    .construct = sparse_construct,
    .init = sparse_init,
    .saved = sparse_saved,
    .destroy = sparse_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &sparse_ops}),
};
