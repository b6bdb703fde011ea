/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of all built-in types of value, and the calls that fill in a type's missing functions.
 */
#include "object/type_impl.h"

#define FIXED(T, symbol, text, kind, count)                                                        \
  const SofaType sofa_type_##symbol = {.name = (text),                                             \
                                       .size = sizeof(T),                                          \
                                       .scalar = (kind),                                           \
                                       .width = (count),                                           \
                                       .parse = sofa_parse_fixed,                                  \
                                       .print = sofa_print_fixed}
#define MATRIX(T, symbol, text, count)                                                             \
  const SofaType sofa_type_##symbol = {.name = (text),                                             \
                                       .size = sizeof(T),                                          \
                                       .scalar = SOFA_SCALAR_REAL,                                 \
                                       .width = (count),                                           \
                                       .parse = sofa_parse_matrix,                                 \
                                       .print = sofa_print_fixed}
#define LIST(T, symbol, text, kind, count, parser)                                                 \
  const SofaType sofa_type_##symbol = {.name = (text),                                             \
                                       .size = sizeof(T),                                          \
                                       .scalar = (kind),                                           \
                                       .width = (count),                                           \
                                       .list = true,                                               \
                                       .parse = (parser),                                          \
                                       .print = sofa_print_list,                                   \
                                       .copy = sofa_copy_list,                                     \
                                       .free = sofa_list_free}
#define ELEMENTS(T, symbol, text, count)                                                           \
  LIST(T, symbol, text, SOFA_SCALAR_UINT, count, sofa_parse_list)

/* numbers and fixed vectors */
const SofaType sofa_type_bool = {.name = "bool",
                                 .size = sizeof(bool),
                                 .scalar = SOFA_SCALAR_BOOL,
                                 .width = 1,
                                 .parse = sofa_parse_bool,
                                 .print = sofa_print_fixed};
const SofaType sofa_type_float = {.name = "real",
                                  .size = sizeof(SofaFloat),
                                  .scalar = SOFA_SCALAR_REAL,
                                  .width = 1,
                                  .parse = sofa_parse_float,
                                  .print = sofa_print_fixed};
FIXED(int, int, "int", SOFA_SCALAR_INT, 1);
FIXED(uint32_t, uint, "unsigned", SOFA_SCALAR_UINT, 1);
FIXED(double, real, "real", SOFA_SCALAR_REAL, 1);
FIXED(SofaVec2, vec2, "Vec2", SOFA_SCALAR_REAL, 2);
FIXED(SofaVec3, vec3, "Vec3", SOFA_SCALAR_REAL, 3);
FIXED(SofaQuat, quat, "quaternion", SOFA_SCALAR_REAL, 4);
FIXED(SofaInts2, ints2, "2 ints", SOFA_SCALAR_INT, 2);
FIXED(SofaInts3, ints3, "3 ints", SOFA_SCALAR_INT, 3);
FIXED(SofaBox, box, "box", SOFA_SCALAR_REAL, 6);
MATRIX(SofaMat3, mat3, "3x3 matrix", 9);
MATRIX(SofaMat4, mat4, "4x4 matrix", 16);
MATRIX(SofaMat34, mat34, "3x4 matrix", 12);
const SofaType sofa_type_color = {.name = "color",
                                  .size = sizeof(SofaColor),
                                  .scalar = SOFA_SCALAR_REAL,
                                  .width = 4,
                                  .parse = sofa_parse_color,
                                  .print = sofa_print_fixed};
const SofaType sofa_type_rigid_mass = {.name = "rigid mass",
                                       .size = sizeof(SofaRigidMass),
                                       .parse = sofa_parse_rigid_mass,
                                       .print = sofa_print_rigid_mass};

/* lists */
LIST(SofaReals, reals, "real list", SOFA_SCALAR_REAL, 1, sofa_parse_list);
LIST(SofaInts, ints, "int list", SOFA_SCALAR_INT, 1, sofa_parse_ranges);
LIST(SofaIndices, indices, "index list", SOFA_SCALAR_UINT, 1, sofa_parse_ranges);
LIST(SofaBools, bools, "bool list", SOFA_SCALAR_BOOL, 1, sofa_parse_list);
LIST(SofaVec2s, vec2s, "Vec2 list", SOFA_SCALAR_REAL, 2, sofa_parse_list);
LIST(SofaVec3s, vec3s, "Vec3 list", SOFA_SCALAR_REAL, 3, sofa_parse_list);
LIST(SofaVec10s, vec10s, "Vec10 list", SOFA_SCALAR_REAL, 10, sofa_parse_list);
LIST(SofaBoxes, boxes, "box list", SOFA_SCALAR_REAL, 6, sofa_parse_list);
LIST(SofaColors, colors, "color list", SOFA_SCALAR_REAL, 4, sofa_parse_colors);
LIST(SofaVec4s, vec4s, "Vec4 list", SOFA_SCALAR_REAL, 4, sofa_parse_list);
LIST(SofaVec6s, vec6s, "Vec6 list", SOFA_SCALAR_REAL, 6, sofa_parse_list);
LIST(SofaVec7s, vec7s, "frame list", SOFA_SCALAR_REAL, 7, sofa_parse_list);
LIST(SofaQuats, quats, "quaternion list", SOFA_SCALAR_REAL, 4, sofa_parse_list);
LIST(SofaMat4s, mat4s, "4x4 matrix list", SOFA_SCALAR_REAL, 16, sofa_parse_list);
#define LISTS(T, symbol, text)                                                                     \
  const SofaType sofa_type_##symbol = {.name = (text),                                             \
                                       .size = sizeof(T),                                          \
                                       .list = true,                                               \
                                       .width = 1,                                                 \
                                       .parse = sofa_parse_lists,                                  \
                                       .print = sofa_print_lists,                                  \
                                       .copy = sofa_copy_lists,                                    \
                                       .free = sofa_free_lists}
LISTS(SofaIndexLists, index_lists, "list of index lists");
LISTS(SofaRealLists, real_lists, "list of real lists");
ELEMENTS(SofaEdges, edges, "edge list", 2);
ELEMENTS(SofaTriangles, triangles, "triangle list", 3);
ELEMENTS(SofaQuads, quads, "quad list", 4);
ELEMENTS(SofaTetras, tetras, "tetrahedron list", 4);
ELEMENTS(SofaPyramids, pyramids, "pyramid list", 5);
ELEMENTS(SofaPrisms, prisms, "prism list", 6);
ELEMENTS(SofaHexas, hexas, "hexahedron list", 8);
const SofaType sofa_type_coords = {.name = "coordinate list",
                                   .size = sizeof(SofaCoords),
                                   .scalar = SOFA_SCALAR_REAL,
                                   .width = 0,
                                   .list = true,
                                   .parse = sofa_parse_coords,
                                   .print = sofa_print_coords,
                                   .copy = sofa_copy_coords,
                                   .free = sofa_free_coords};
const SofaType sofa_type_rigid_masses = {.name = "rigid mass list",
                                         .size = sizeof(SofaRigidMasses),
                                         .list = true,
                                         .width = 1,
                                         .parse = sofa_parse_rigid_masses,
                                         .print = sofa_print_rigid_masses,
                                         .copy = sofa_copy_rigid_masses,
                                         .free = sofa_list_free};

/* text */
#define TEXT(T, symbol, text, kind, is_list)                                                       \
  const SofaType sofa_type_##symbol = {.name = (text),                                             \
                                       .size = sizeof(T),                                          \
                                       .scalar = (kind),                                           \
                                       .width = 1,                                                 \
                                       .list = (is_list),                                          \
                                       .parse = sofa_parse_##symbol,                               \
                                       .print = sofa_print_##symbol,                               \
                                       .copy = sofa_copy_##symbol,                                 \
                                       .free = sofa_free_##symbol}
TEXT(char *, string, "string", SOFA_SCALAR_STRING, false);
TEXT(SofaFileName, filename, "file name", SOFA_SCALAR_STRING, false);
TEXT(SofaStrings, strings, "string list", SOFA_SCALAR_STRING, true);
TEXT(SofaTags, tags, "tags", SOFA_SCALAR_NONE, false);
TEXT(SofaMaterial, material, "material", SOFA_SCALAR_NONE, false);
const SofaType sofa_type_option = {.name = "option",
                                   .size = sizeof(SofaOption),
                                   .parse = sofa_parse_option,
                                   .print = sofa_print_option};

/* links */
const SofaType sofa_type_link = {.name = "link",
                                 .size = sizeof(SofaLink),
                                 .link = true,
                                 .parse = sofa_parse_link,
                                 .print = sofa_print_link,
                                 .copy = sofa_copy_link,
                                 .free = sofa_free_link};
const SofaType sofa_type_links = {.name = "links",
                                  .size = sizeof(SofaLinks),
                                  .link = true,
                                  .list = true,
                                  .parse = sofa_parse_links,
                                  .print = sofa_print_links,
                                  .copy = sofa_copy_links,
                                  .free = sofa_free_links};

/* ---- calls ---- */

SofaErr sofa_type_parse(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value) {
  return type->parse(type, parse, text, value);
}

SofaErr sofa_type_print(const SofaType *type, SofaContext *ctx, const SofaField *field,
                        const void *value, SofaText *out) {
  // an empty value is an empty text, not none
  SOFA_TRY(sofa_text_append(ctx, out, "", 0));
  return type->print(type, ctx, field, value, out);
}

SofaErr sofa_type_copy(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  if (type->copy) return type->copy(type, ctx, from, to);
  sofa_move(to, from, type->size);
  return SOFA_OK;
}

void sofa_type_free(const SofaType *type, SofaContext *ctx, void *value) {
  if (type->free) type->free(ctx, value);
}
