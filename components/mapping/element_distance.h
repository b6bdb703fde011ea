/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a point is from an element in the measure that barycentric mappings choose by
 * (spec: BarycentricMapping, element distance). */
#ifndef SOFA_MAPPING_ELEMENT_DISTANCE_H
#define SOFA_MAPPING_ELEMENT_DISTANCE_H

#include "behavior/topology.h"

/* One element, prepared. */
typedef struct SofaMapElement {
  double axes[9];    /* local axes as columns, row major */
  double inverse[9]; /* from p - origin to local coordinates, row major */
  double origin[3];  /* first vertex */
  double centre[3];  /* mean of the vertices */
  const uint32_t *v; /* vertices; borrowed from the topology */
  uint8_t kind;      /* SofaElementKind */
  bool flat;         /* no volume or area: contains nothing */
} SofaMapElement;

/* Elements of one or two kinds, those of the first kind first. */
typedef struct SofaMapElements {
  SofaMapElement *data; /* owned */
  size_t n;
} SofaMapElements;

/* Prepares the elements of the mesh of the given kinds at the positions x (3 reals per point with
 * the stride; every vertex < n_points was checked). */
SofaErr sofa_map_elements(SofaContext *ctx, const SofaMesh *mesh, const SofaElementKind *kinds,
                          size_t n_kinds, const double *x, size_t stride, SofaMapElements *out);
void sofa_map_elements_free(SofaContext *ctx, SofaMapElements *elements);

/* Local coordinates of p. */
void sofa_map_local(const SofaMapElement *e, const double p[3], double v[3]);
/* How far outside: <= 0 inside, the deeper the smaller; infinite for flat elements. */
double sofa_map_inside(const SofaMapElement *e, const double p[3]);
/* Squared distance of p to the centre. */
double sofa_map_centre_distance(const SofaMapElement *e, const double p[3]);
/* The measure: `inside` when <= 0, else the squared distance to the centre. */
double sofa_map_value(const SofaMapElement *e, const double p[3]);
/* Weights of the element's vertices (up to 8) at local coordinates; returns their number. */
unsigned sofa_map_weights(SofaElementKind kind, const double v[3], double *weights);
/* A box that contains every point with sofa_map_inside <= 0. Not for flat elements. */
void sofa_map_inside_box(const SofaMapElement *e, double min[3], double max[3]);

#endif
