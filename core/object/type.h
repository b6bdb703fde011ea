/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of value: how one kind of field is parsed, printed, copied and freed. */
#ifndef SOFA_OBJECT_TYPE_H
#define SOFA_OBJECT_TYPE_H

#include "base/array.h"

SOFA_BEGIN_DECLS

typedef struct SofaType SofaType;

/* Kinds of mechanical state (SOFA's templates). */
typedef enum SofaStateKind {
  SOFA_VEC1,
  SOFA_VEC2,
  SOFA_VEC3,
  SOFA_VEC6,
  SOFA_RIGID2,
  SOFA_RIGID3,
  SOFA_N_STATE_KINDS,
  SOFA_NO_KIND = SOFA_N_STATE_KINDS
} SofaStateKind;
typedef struct SofaStateKindInfo {
  const char *name; /* "Vec3d" */
  unsigned coord;   /* reals of a position: 1 2 3 6 3 7 */
  unsigned deriv;   /* reals of a velocity: 1 2 3 6 3 6 */
  unsigned space;   /* reals that are a point in space: 1 2 3 3 2 3 */
  bool rigid;
} SofaStateKindInfo;
const SofaStateKindInfo *sofa_state_kind_info(SofaStateKind kind);
/* Canonical name ("Vec3" -> "Vec3d", aliases of the spec; *deprecated set for "Rigid", "Vec3f"...);
 * the text itself when it is not an alias. `text` is one template argument, no commas. */
const char *sofa_template_alias(const char *text, bool *deprecated);
SofaStateKind sofa_state_kind_from_name(const char *name); /* SOFA_NO_KIND if it is not one */

/* Kinds of element of a topology (topology/topology.h). */
typedef enum SofaElementKind {
  SOFA_ELEMENT_POINT,
  SOFA_ELEMENT_EDGE,
  SOFA_ELEMENT_TRIANGLE,
  SOFA_ELEMENT_QUAD,
  SOFA_ELEMENT_TETRA,
  SOFA_ELEMENT_PYRAMID,
  SOFA_ELEMENT_PRISM,
  SOFA_ELEMENT_HEXA,
  SOFA_N_ELEMENT_KINDS
} SofaElementKind;

/* Value structs beyond those of base/array.h. */
typedef struct SofaCoords { /* a list of positions or velocities of a state's kind */
  double *data;             /* n * width reals */
  size_t n, capacity;       /* in entries */
  uint32_t width;           /* reals per entry */
  bool view;                /* data belongs to a solver's flat vector */
} SofaCoords;
typedef struct SofaBox {
  double min[3], max[3];
} SofaBox; /* invalid when min > max */
typedef struct SofaQuat {
  double q[4];
} SofaQuat; /* x y z w */
typedef struct SofaMat3 {
  double m[9];
} SofaMat3; /* row major */
typedef struct SofaMat4 {
  double m[16];
} SofaMat4; /* row major */
typedef struct SofaMat34 {
  double m[12];
} SofaMat34; /* 3 rows of 4 */
typedef struct SofaVec2 {
  double v[2];
} SofaVec2;
typedef struct SofaInts2 {
  int v[2];
} SofaInts2;
typedef struct SofaInts3 {
  int v[3];
} SofaInts3;
typedef struct SofaColor {
  double rgba[4];
} SofaColor;
typedef struct SofaOption {
  int index;
} SofaOption; /* items: SofaField.options */
typedef struct SofaFileName {
  char *text, *path;
} SofaFileName; /* as written; found (NULL) */
typedef struct SofaTags {
  SofaStrings words;
} SofaTags;
typedef struct SofaFloat {
  double value;
} SofaFloat; /* legacy attribute SOFA reads in float32 */
typedef struct SofaMaterial {
  char *name;
  bool use[5]; /* diffuse ambient specular emissive shininess */
  double color[4][4], shininess;
} SofaMaterial;
/* Mass of one point: mass, volume, inertia per unit mass (row major 3x3; 2D: inertia[0]). */
typedef struct SofaRigidMass {
  double mass, volume, inertia[9];
} SofaRigidMass;
SOFA_LIST(SofaRigidMass, SofaRigidMasses);
SOFA_LIST(SofaBox, SofaBoxes);
SOFA_LIST(SofaVec2, SofaVec2s);
SOFA_LIST(SofaColor, SofaColors);
typedef struct SofaVec10 {
  double v[10];
} SofaVec10;
SOFA_LIST(SofaVec10, SofaVec10s);

/* Lists of values that templates of engines name. */
typedef struct SofaVec4 {
  double v[4];
} SofaVec4;
typedef struct SofaVec6 {
  double v[6];
} SofaVec6;
typedef struct SofaVec7 { /* a frame: position and quaternion */
  double v[7];
} SofaVec7;
SOFA_LIST(SofaVec4, SofaVec4s);
SOFA_LIST(SofaVec6, SofaVec6s);
SOFA_LIST(SofaVec7, SofaVec7s);
SOFA_LIST(SofaQuat, SofaQuats);
SOFA_LIST(SofaMat4, SofaMat4s);
SOFA_LIST(SofaIndices, SofaIndexLists); /* owns its lists; text "[0,1] [2,3,4]" */
SOFA_LIST(SofaReals, SofaRealLists);    /* the same */

/* A reference to another object (or node). `target` never owns. */
typedef struct SofaLink {
  char *path;
  struct SofaObject *target;
} SofaLink;
typedef struct SofaLinks {
  SofaLink *data;
  size_t n, capacity;
} SofaLinks;

/* Layout of numeric types, for conversion between linked fields. */
typedef enum SofaScalar {
  SOFA_SCALAR_NONE,
  SOFA_SCALAR_REAL,
  SOFA_SCALAR_INT,
  SOFA_SCALAR_UINT,
  SOFA_SCALAR_BOOL,
  SOFA_SCALAR_STRING
} SofaScalar;
size_t sofa_scalar_size(SofaScalar scalar);

/* The context of a value that a parser reads. When the text is refused, `why` receives what was
 * expected; with SOFA_OK a text in it is a warning: the value is what SOFA reads, but the text has
 * more (extra numbers, a letter after a number). */
typedef struct SofaParse {
  SofaContext *ctx;
  const struct SofaField *field;   /* options, defaults; may be NULL */
  const char *folder;              /* folder of the scene file, for file names; may be NULL */
  SofaStateKind kind;              /* of the object, for values that depend on it */
  SofaText *why;                   /* not NULL */
  const struct SofaObject *object; /* whose value it is; may be NULL */
} SofaParse;

struct SofaType {
  const char *name;  /* "real", "Vec3 list", ... */
  size_t size;       /* of the value in the struct */
  SofaScalar scalar; /* NONE: only same-type links and text */
  unsigned width;    /* scalars per element (0: SofaCoords.width) */
  bool list;         /* {data, n, capacity} of elements of `width` scalars */
  bool link;         /* SofaLink or SofaLinks: parsed as paths */
  /* Reads `text` as SOFA does. A refused text still leaves the value SOFA would leave and returns
   * SOFA_ERR_PARSE with *why filled (what was expected, at which word). */
  SofaErr (*parse)(const SofaType *type, const SofaParse *parse, const char *text, void *value);
  /* Appends the text form; parse(print(v)) gives v back. */
  SofaErr (*print)(const SofaType *type, SofaContext *ctx, const struct SofaField *field,
                   const void *value, SofaText *out);
  /* NULL: plain bytes */
  SofaErr (*copy)(const SofaType *type, SofaContext *ctx, const void *from, void *to);
  void (*free)(SofaContext *ctx, void *value); /* NULL: nothing to free; leaves an empty value */
};

/* The functions of a type, with the defaults for those it does not have. */
SofaErr sofa_type_parse(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value);
SofaErr sofa_type_print(const SofaType *type, SofaContext *ctx, const struct SofaField *field,
                        const void *value, SofaText *out);
SofaErr sofa_type_copy(const SofaType *type, SofaContext *ctx, const void *from, void *to);
void sofa_type_free(const SofaType *type, SofaContext *ctx, void *value);

/* Copies between fields of possibly different types (data links): rules of the spec, section data
 * links. SOFA_ERR_TYPE when there is no conversion. */
SofaErr sofa_type_convert(SofaContext *ctx, const SofaType *from_type, const void *from,
                          const SofaType *to_type, void *to);
bool sofa_type_convertible(const SofaType *from, const SofaType *to);

/* Resizes a list of lists; those beyond n are freed. */
SofaErr sofa_index_lists_resize(SofaContext *ctx, SofaIndexLists *lists, size_t n);
SofaErr sofa_real_lists_resize(SofaContext *ctx, SofaRealLists *lists, size_t n);

/* The type of a list of the values a template names: "Vec3d", "vector<i>", "fixed_array<I,3>";
 * NULL when there is none. */
const SofaType *sofa_template_list_type(const char *template_name);

/* Resizes a coords list. New entries are the kind's neutral element: zeros, and the identity
 * quaternion for width 7. A view of another size then owns its data again (the caller then calls
 * sofa_graph_changed); with the same n it stays a view. */
SofaErr sofa_coords_resize(SofaContext *ctx, SofaCoords *list, size_t n);
void sofa_coords_free(SofaContext *ctx, SofaCoords *list);

/* One row per type: X(C type, symbol). The kind of a field is derived from its C type. */
// clang-format off
#define SOFA_TYPES(X) \
  X(bool, bool) \
  X(int, int) \
  X(uint32_t, uint) \
  X(double, real) \
  X(char *, string) \
  X(SofaVec2, vec2) \
  X(SofaVec3, vec3) \
  X(SofaQuat, quat) \
  X(SofaMat3, mat3) \
  X(SofaMat4, mat4) \
  X(SofaMat34, mat34) \
  X(SofaInts2, ints2) \
  X(SofaInts3, ints3) \
  X(SofaBox, box) \
  X(SofaColor, color) \
  X(SofaOption, option) \
  X(SofaFileName, filename) \
  X(SofaTags, tags) \
  X(SofaMaterial, material) \
  X(SofaFloat, float) \
  X(SofaRigidMass, rigid_mass) \
  X(SofaRigidMasses, rigid_masses) \
  X(SofaCoords, coords) \
  X(SofaReals, reals) \
  X(SofaInts, ints) \
  X(SofaIndices, indices) \
  X(SofaBools, bools) \
  X(SofaStrings, strings) \
  X(SofaVec2s, vec2s) \
  X(SofaVec3s, vec3s) \
  X(SofaVec4s, vec4s) \
  X(SofaVec6s, vec6s) \
  X(SofaVec7s, vec7s) \
  X(SofaQuats, quats) \
  X(SofaMat4s, mat4s) \
  X(SofaIndexLists, index_lists) \
  X(SofaRealLists, real_lists) \
  X(SofaVec10s, vec10s) \
  X(SofaBoxes, boxes) \
  X(SofaColors, colors) \
  X(SofaEdges, edges) \
  X(SofaTriangles, triangles) \
  X(SofaQuads, quads) \
  X(SofaTetras, tetras) \
  X(SofaPyramids, pyramids) \
  X(SofaPrisms, prisms) \
  X(SofaHexas, hexas) \
  X(SofaLink, link) \
  X(SofaLinks, links)
// clang-format on

#define SOFA_TYPE_DECLARE(T, name) extern const SofaType sofa_type_##name;
SOFA_TYPES(SOFA_TYPE_DECLARE)
#undef SOFA_TYPE_DECLARE

SOFA_END_DECLS

/* The type of a member, and: is it a SofaCoords? Both are found by the C type of the member. */
#ifdef __cplusplus
#define SOFA_TYPE_CASE(T, name)                                                                    \
  constexpr const SofaType *sofa_type_of(T const *) {                                              \
    return &sofa_type_##name;                                                                      \
  }
SOFA_TYPES(SOFA_TYPE_CASE)
#undef SOFA_TYPE_CASE
constexpr bool sofa_is_coords(const SofaCoords *) {
  return true;
}
constexpr bool sofa_is_coords(const void *) {
  return false;
}
#define SOFA_TYPE_OF(lvalue) sofa_type_of(static_cast<decltype(&(lvalue))>(nullptr))
#define SOFA_IS_COORDS(lvalue) sofa_is_coords(static_cast<decltype(&(lvalue))>(nullptr))
#else
#define SOFA_TYPE_CASE(T, name) , T : &sofa_type_##name
#define SOFA_TYPE_OF(lvalue) _Generic((lvalue)SOFA_TYPES(SOFA_TYPE_CASE))
#define SOFA_IS_COORDS(lvalue) _Generic((lvalue), SofaCoords : true, default : false)
#endif

#endif
