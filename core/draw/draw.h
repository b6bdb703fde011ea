/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing without a window: components fill a list of points, lines, triangles, spheres and texts;
 * a renderer shows it. No file here depends on a graphics library. */
#ifndef SOFA_DRAW_DRAW_H
#define SOFA_DRAW_DRAW_H

#include "draw/display_flags.h"
#include "object/node.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_draw_interface;
#define SOFA_DRAW (&sofa_draw_interface)

/* What a list holds. Vertices per item: 1, 2, 3, 1. */
typedef enum SofaDrawKind {
  SOFA_DRAW_POINTS,    /* size: diameter, pixels */
  SOFA_DRAW_LINES,     /* size: width, pixels */
  SOFA_DRAW_TRIANGLES, /* flat shading, both sides; size: 0 lit, 1 the colour as it is */
  SOFA_DRAW_SPHERES,   /* size: radius, m */
  SOFA_N_DRAW_KINDS
} SofaDrawKind;

/* Layers of the picture. */
typedef enum SofaDrawLayer {
  SOFA_LAYER_SCENE,  /* hidden by nearer items */
  SOFA_LAYER_FRONT,  /* in front of the scene */
  SOFA_LAYER_SCREEN, /* x right, y down, in pixels from the upper left corner; z unused */
  SOFA_N_DRAW_LAYERS
} SofaDrawLayer;

typedef struct SofaDrawVertex {
  float p[3];
  float size;
  uint8_t rgba[4];
} SofaDrawVertex;
SOFA_LIST(SofaDrawVertex, SofaDrawVertices);

typedef struct SofaDrawText {
  float p[3];
  float height; /* of a line; screen layer and `pixels`: pixels, else m */
  bool pixels;  /* height is in pixels, however far it is */
  uint8_t rgba[4];
  SofaDrawLayer layer;
  size_t start, length; /* in the list's characters */
} SofaDrawText;
SOFA_LIST(SofaDrawText, SofaDrawTexts);

/* Filled again for every picture; the arrays are kept, so that a list that has grown allocates
 * nothing. An all-zero list with ctx set is empty. Without memory an item is dropped, and the error
 * is kept in `failure`. */
typedef struct SofaDrawList {
  SofaContext *ctx;
  SofaDrawLayer layer; /* where the following items go */
  SofaDrawVertices vertices[SOFA_N_DRAW_LAYERS][SOFA_N_DRAW_KINDS];
  SofaDrawVertices translucent; /* triangles of the scene layer with an alpha below 1 */
  SofaDrawTexts texts;
  SofaText characters;
  SofaErr failure;
} SofaDrawList;

/* The arguments of an object that draws. */
typedef struct SofaDrawArgs {
  SofaDrawList *list;
  const SofaDisplayFlags *flags; /* effective ones of its node */
  const SofaBox *box;            /* of the whole scene; invalid when it is empty */
  int width, height;             /* of the picture, pixels */
  double eye[3], orientation[4]; /* of the camera: position, quaternion to world axes */
  double time;                   /* of the simulation, s */
} SofaDrawArgs;

/* Ops of SOFA_DRAW. */
typedef struct SofaDrawOps {
  /* required: appends the drawing of the object; the object itself reads the flags.
   * Called between steps; must not change the object's fields. */
  void (*draw)(SofaObject *object, const SofaDrawArgs *args);
} SofaDrawOps;

/* Empties the list, keeping the memory. */
void sofa_draw_clear(SofaDrawList *list);
void sofa_draw_free(SofaDrawList *list);

/* ---- colours ---- */

typedef struct SofaRgba { /* 0..1; not premultiplied */
  float v[4];
} SofaRgba;
#define SOFA_RGB(r, g, b) ((SofaRgba){{(float)(r), (float)(g), (float)(b), 1.f}})
#define SOFA_RGBA(r, g, b, a) ((SofaRgba){{(float)(r), (float)(g), (float)(b), (float)(a)}})
SofaRgba sofa_rgba(const SofaColor *color);

/* ---- primitives: points are 3 reals, m (screen layer: pixels) ---- */

void sofa_draw_point(SofaDrawList *list, const double *p, double pixels, SofaRgba color);
void sofa_draw_line(SofaDrawList *list, const double *a, const double *b, double pixels,
                    SofaRgba color);
void sofa_draw_triangle(SofaDrawList *list, const double *a, const double *b, const double *c,
                        SofaRgba color);
/* A colour per corner, not shaded. */
void sofa_draw_triangle_colors(SofaDrawList *list, const double *const p[3],
                               const SofaRgba color[3]);
void sofa_draw_quad(SofaDrawList *list, const double *a, const double *b, const double *c,
                    const double *d, SofaRgba color);
void sofa_draw_sphere(SofaDrawList *list, const double *center, double radius, SofaRgba color);

/* ---- shapes made of them ---- */

/* A tube with closed ends; radius_b 0: a cone with its tip at b. */
void sofa_draw_tube(SofaDrawList *list, const double *a, const double *b, double radius_a,
                    double radius_b, SofaRgba color);
/* From a to b: a thin tube and a cone over the last fifth. radius is the tube's; 0: a line. */
void sofa_draw_arrow(SofaDrawList *list, const double *a, const double *b, double radius,
                     SofaRgba color);
/* Three arrows in red, green, blue along the axes of the frame p, q (x y z w). */
void sofa_draw_frame(SofaDrawList *list, const double *p, const double *q, double size);
/* The twelve edges of a box along the axes. */
void sofa_draw_box(SofaDrawList *list, const double *min, const double *max, double pixels,
                   SofaRgba color);
/* A circle around an axis, of line segments. */
void sofa_draw_circle(SofaDrawList *list, const double *center, const double *axis, double radius,
                      double pixels, SofaRgba color);

/* An ellipsoid with half axes `radius` along the axes of the frame center, q (x y z w; NULL: the
 * world's). */
void sofa_draw_ellipsoid(SofaDrawList *list, const double *center, const double *q,
                         const double *radius, SofaRgba color);

/* ---- text ---- */

/* A line of text whose left end of the base line is at p, turned to the viewer. */
void sofa_draw_text(SofaDrawList *list, const double *p, double height, SofaRgba color,
                    const char *text);
/* The same, `height` pixels high wherever it is. */
void sofa_draw_label(SofaDrawList *list, const double *p, double height, SofaRgba color,
                     const char *text);
/* Indices 0..n-1 next to n points, `stride` reals apart. */
void sofa_draw_indices(SofaDrawList *list, const double *points, size_t n, size_t stride,
                       double height, SofaRgba color);

/* ---- elements ---- */

/* How the elements of a mesh are drawn. */
typedef struct SofaDrawElements {
  const double *x; /* points */
  size_t n_points, stride;
  unsigned space;                /* reals of a point, 1 to 3, the others are 0; 0: 3 */
  double shrink;                 /* 1: whole elements; 0.85: with gaps, each towards its centre */
  bool wireframe;                /* edges instead of faces */
  SofaRgba color[4];             /* of the faces: face i has color[i % 4] */
  const SofaRgba *element_color; /* one per element, for all its faces; NULL: color */
} SofaDrawElements;
/* v: n x width indices (2 edges, 3 triangles, 4 tetrahedra or quads with `quads`, 5 pyramids, 6
 * prisms, 8 hexahedra). Elements with an index out of range are left out. */
void sofa_draw_elements(SofaDrawList *list, const SofaDrawElements *how, const uint32_t *v,
                        size_t n, unsigned width, bool quads);

SOFA_END_DECLS

#endif
