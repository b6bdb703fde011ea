/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements that components of this plugin work on: of a CaribouTopology, or of a topology. */
#ifndef CARIBOU_ELEMENTS_H
#define CARIBOU_ELEMENTS_H

#include <sofa.h>

#include "behavior/draw_state.h"
#include "numerics/fem/element_mesh.h"
#include "topology/element_source.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_CARIBOU_REST = 1 << 20 };
#define QUIRK_CARIBOU_REST_ROW                                                                     \
  {                                                                                                \
    QUIRK_CARIBOU_REST, "caribou-rest",                                                            \
        "SofaCaribou's elements of a topology container are at rest where the scene starts",       \
        "test_caribou_elements.rest_of_containers"                                                 \
  }

/* Node indices of elements, one element after the other. As a field it takes element lists of any
 * width through a link. */
typedef struct CaribouIndices {
  SofaIndices list;
} CaribouIndices;
extern const SofaType caribou_type_indices;

/* The corners of elements: what is drawn and coloured of them. Owned. */
typedef struct CaribouCorners {
  SofaShape shape; /* of first order */
  unsigned width;  /* corners of an element; 0 before they are made */
  SofaIndices list;
} CaribouCorners;

typedef struct CaribouTopology {
  SofaObject object;
  SofaVec3s position; /* m; empty: the rest positions of the node's state */
  CaribouIndices indices;
  SofaElementMesh mesh; /* since init; its positions and vertices are owned */
  double *rest;
  uint32_t *vertices;
  CaribouCorners corners;
} CaribouTopology;

extern const SofaClass sofa_CaribouTopology_class;

/* A kind of element by its template's name. */
typedef struct CaribouElement {
  const char *name;
  SofaShape shape;
  unsigned dim; /* of the space: 2, with states of kind Vec2d, or 3 */
} CaribouElement;
/* NULL when the name is unknown; upper and lower case are the same. */
const CaribouElement *caribou_element(const char *name);

/* can_create of components whose template names an element: the template that is asked for, else
 * the one of the linked object, else one that an object of the node has. */
bool caribou_can_create(SofaNode *node, const struct SofaElement *element,
                        const char *template_name, SofaText *why);

/* Elements as they are drawn at the positions of a state. */
typedef struct CaribouDrawing {
  const SofaState *state;
  const CaribouCorners *corners;
  double scale;           /* size of drawn elements */
  const SofaRgba *colors; /* one per element; NULL: those of force fields */
} CaribouDrawing;
void caribou_draw_elements(const SofaDrawArgs *args, const CaribouDrawing *drawing);

/* Takes the corners of a mesh. */
SofaErr caribou_corners(SofaContext *ctx, const SofaElementMesh *mesh, CaribouCorners *out);
/* Elements by their corners, as SOFA_ELEMENT_SOURCE gives them. */
SofaElements caribou_source(const CaribouCorners *corners, SofaElementKind *kind);

/* A link to a CaribouTopology or a topology. */
extern const SofaLinkRule caribou_topology_rule;

/* A state with positions of a dimension is an error of `object` when they have another. */
SofaErr caribou_check_state(const SofaObject *object, const SofaState *state, unsigned dim);

/* The elements of the template's shape that a force field (or mass) works on, with vertices below
 * n_points, the points of its state: of the linked object, else of the one object in the node that
 * has some. Those of second order are of a CaribouTopology. Borrowed until the topology changes. */
SofaErr caribou_elements(const SofaForceField *ff, const SofaLink *link, SofaElementMesh *mesh);

/* For the listeners of topological changes: the elements of a topology can change, those of a
 * CaribouTopology are its own. */
bool caribou_can_listen(const SofaObject *object, const char **why);

/* Templates of components on volume elements, and how these follow topological changes: by reinit.
 */
extern const char *const caribou_solid_templates[];
extern const SofaTopologyListenerOps caribou_solid_listener;
/* Members of their classes; `init` and `destroy` are functions of the component's file. */
#define CARIBOU_SOLID_MEMBERS                                                                      \
  .module = "SofaCaribou", .templates = caribou_solid_templates, .can_create = caribou_can_create, \
  .init = init, .reinit = init, .destroy = destroy

#endif
