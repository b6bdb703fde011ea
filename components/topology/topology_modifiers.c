/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ...SetTopologyModifier classes. A modifier lets the container beside it change and says how
 * far the change goes. */
#include "topology_modifier.h"

static const SofaField point_fields[] = {
    SOFA_FIELD(SofaTopologyModifier, propagate_to_dof, "propagateToDOF", "1", "",
               "Points that go or come do so in the mechanical state of the node, too.", ),
};
static const SofaField triangle_fields[] = {
    SOFA_FIELD(SofaTopologyModifier, list_out, "list_Out", NULL, "1",
               "Triangles to remove on a key press.", .flags = SOFA_FIELD_UNSUPPORTED),
};
static const SofaField volume_fields[] = {
    SOFA_FIELD(SofaTopologyModifier, remove_isolated, "removeIsolated", "1", "",
               "Points go with the last volume they belong to.", ),
};

#define MODIFIER(kind, base_class, table, count, text)                                             \
  const SofaClass sofa_##kind##SetTopologyModifier_class = {                                       \
      .name = #kind "SetTopologyModifier",                                                         \
      .module = "Sofa.Component.Topology.Container.Dynamic",                                       \
      .category = "TopologyObject",                                                                \
      .help = text,                                                                                \
      .base = (base_class),                                                                        \
      .size = sizeof(SofaTopologyModifier),                                                        \
      .fields = (table),                                                                           \
      .n_fields = (count)}

static const SofaClass modifier_class = {.name = "TopologyModifier",
                                         .module = "csofa",
                                         .category = "TopologyObject",
                                         .help = "Lets a topology change.",
                                         .base = &sofa_object_class,
                                         .size = sizeof(SofaTopologyModifier),
                                         .abstract = true,
                                         .ops = {[SOFA_TOPOLOGY_MODIFIER] = SOFA_NO_OPS}};

MODIFIER(Point, &modifier_class, point_fields, 1, "Changes a set of points.");
MODIFIER(Edge, &sofa_PointSetTopologyModifier_class, NULL, 0, "Changes a set of edges.");
MODIFIER(Triangle, &sofa_EdgeSetTopologyModifier_class, triangle_fields, 1,
         "Changes a set of triangles.");
MODIFIER(Quad, &sofa_EdgeSetTopologyModifier_class, NULL, 0, "Changes a set of quads.");
MODIFIER(Tetrahedron, &sofa_TriangleSetTopologyModifier_class, volume_fields, 1,
         "Changes a set of tetrahedra.");
MODIFIER(Hexahedron, &sofa_QuadSetTopologyModifier_class, volume_fields, 1,
         "Changes a set of hexahedra.");
