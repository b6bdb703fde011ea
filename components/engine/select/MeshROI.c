/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshROI: points and elements inside a closed surface of triangles. */
#include "behavior/state_division.h"
#include "components/engine/engine.h"
#include "components/engine/select/roi.h"
#include "math/vec.h"

enum { QUIRK_MESH_ROI_ALL = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MESH_ROI_ALL, "mesh-roi-all", "MeshROI without computeMeshROI selects all points",
     "test_quirks_sets.engines"},
};

typedef struct MeshROI {
  Roi roi;
  SofaCoords surface;
  SofaEdges edges;
  SofaTriangles triangles;
  bool use_mesh, draw_out, draw_box;
  SofaBox box;
} MeshROI;

typedef MeshROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(surface, "ROIposition", NULL, "m",
                   "points of the surface; default: as for position"),
    SOFA_ROW_DISPLAY(edges, "ROIedges", NULL, "edges of the surface, drawn only"),
    SOFA_ROW_INPUT(triangles, "ROItriangles", NULL, "",
                   "triangles of the surface; default: those of the node's topology"),
    SOFA_ROW_INPUT(use_mesh, "computeMeshROI", "1", "",
                   "select inside the surface, otherwise inside its bounding box"),
    SOFA_ROW_OUTPUT(box, "box", "m", "bounding box of the surface"),
    SOFA_ROW_DISPLAY(draw_out, "drawOut", "0", "draw the elements outside"),
    SOFA_ROW_DISPLAY(draw_box, "drawBox", "0", "draw the bounding box"),
};

/* Elements count by their centroids, too, unless the scene asks for strictness. */
static SofaErr construct(SofaObject *object) {
  ((Roi *)object)->strict = false;
  return SOFA_OK;
}

static SofaErr prepare(Roi *roi) {
  MeshROI *m = (MeshROI *)roi;
  static const char *const names[] = {"ROItriangles", NULL};
  // the first evaluation is that of the base's init
  if (!roi->object.initialised) {
    static const char *const triangles[] = {"triangles", NULL};
    SofaObject *topology = sofa_node_find(roi->object.node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
    SOFA_TRY(engine_link_points(&roi->object, "ROIposition"));
    SOFA_TRY(engine_link(&roi->object, names[0], topology, triangles[0]));
    SOFA_TRY(sofa_data_pull(&roi->object, NULL));
  }
  if (sofa_field_division(&roi->object, sofa_class_field(roi->object.klass, "ROIposition")))
    return sofa_object_undivided(&roi->object,
                                 "a surface of a mesh that is divided among processes");
  SOFA_TRY(ENGINE_CHECK(&roi->object, "ROItriangles", &m->triangles, m->surface.n));
  for (int k = 0; k < 3; k++) m->box.min[k] = m->box.max[k] = 0;
  for (size_t i = 0; i < m->surface.n; i++) {
    const double *p = m->surface.data + i * m->surface.width;
    for (int k = 0; k < 3; k++) {
      if (!i || p[k] < m->box.min[k]) m->box.min[k] = p[k];
      if (!i || p[k] > m->box.max[k]) m->box.max[k] = p[k];
    }
  }
  return SOFA_OK;
}

/* Does the ray from p along d meet the triangle? Borders count. */
static bool meets(const double *a, const double *b, const double *c, const double *p,
                  const double *d) {
  double ab[3], ac[3], n[3], x[3], e[3], w[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(c, a, ac);
  sofa_vec3_cross(ab, ac, n);
  const double along = sofa_vec3_dot(n, d);
  sofa_vec3_sub(a, p, w);
  const double t = sofa_vec3_dot(n, w) / along;
  if (!(along < 0 || along > 0) || !(t >= 0)) return false;
  for (int k = 0; k < 3; k++) x[k] = p[k] + t * d[k];
  const double *corners[4] = {a, b, c, a};
  for (int s = 0; s < 3; s++) {
    double side[3];
    sofa_vec3_sub(corners[s + 1], corners[s], side);
    sofa_vec3_sub(x, corners[s], e);
    sofa_vec3_cross(side, e, w);
    if (!(sofa_vec3_dot(w, n) >= 0)) return false;
  }
  return true;
}

static double squared_distance(const double *a, const double *b) {
  double d[3];
  sofa_vec3_sub(a, b, d);
  return sofa_vec3_dot(d, d);
}

/* A ray towards a point beyond the nearer corner of the box leaves the surface an odd number of
 * times when it starts inside. */
static bool inside_surface(const MeshROI *m, const double p[3]) {
  const bool low = squared_distance(m->box.min, p) < squared_distance(m->box.max, p);
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = (low ? m->box.min[k] - 100 : m->box.max[k] + 100) - p[k];
  size_t n = 0;
  const size_t w = m->surface.width;
  for (size_t i = 0; i < m->triangles.n; i++) {
    const uint32_t *t = m->triangles.data[i].v;
    n += meets(m->surface.data + t[0] * w, m->surface.data + t[1] * w, m->surface.data + t[2] * w,
               p, d);
  }
  return n % 2;
}

static bool contains(const Roi *roi, const double p[3]) {
  const MeshROI *m = (const MeshROI *)roi;
  if (!m->use_mesh && sofa_quirk(&roi->object, QUIRK_MESH_ROI_ALL)) return true;
  for (int k = 0; k < 3; k++)
    if (!(m->box.min[k] <= p[k] && p[k] <= m->box.max[k])) return false;
  return !m->use_mesh || inside_surface(m, p);
}

static const RoiOps ops = {.prepare = prepare, .contains = contains, .vertices_suffice = true};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec6d", NULL};

SOFA_CLASS(MeshROI) = {
    SOFA_NAMED(MeshROI),
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements inside a closed surface of triangles.",
    .base = &roi_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    .update = roi_update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, &ops}),
};
