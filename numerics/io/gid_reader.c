/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads GiD meshes: one header, coordinates, elements of one type.
 * Source: GiD customization manual, "Mesh format: ModelName.post.msh". */
#include <strings.h>
#include "topology/tuple_map.h"
#include "numerics/io/mesh_readers.h"
#include "numerics/io/mesh_text.h"

typedef struct GidBuild {
  SofaMeshText text;
  SofaMeshData *out;
  SofaTupleMap numbers; /* of nodes -> point */
  unsigned dimension;
  SofaElementKind kind;
  unsigned n_nodes; /* of an element, middle nodes included */
} GidBuild;

/* Case does not matter in the words of a GiD file. */
static bool word_is(const SofaMeshText *t, const char *word) {
  const size_t n = sofa_mesh_word(t);
  return n == strlen(word) && strncasecmp(t->at, word, n) == 0;
}

/* Moves behind the word, which must come within the line. */
static SofaErr expect_on_line(GidBuild *b, const char *word, bool search) {
  SofaMeshText *t = &b->text;
  while (sofa_mesh_skip_blank(t)) {
    const bool found = word_is(t, word);
    if ((!found && !search) || !sofa_mesh_word(t)) break;
    t->at += sofa_mesh_word(t);
    if (found) return SOFA_OK;
  }
  return sofa_mesh_fail(t, SOFA_ERR_PARSE, "the header has no '%s' here", word);
}

typedef struct GidType {
  const char *name;
  SofaElementKind kind;
  unsigned n_nodes[3]; /* allowed; the first is the linear element */
} GidType;
static const GidType types[] = {{"Linear", SOFA_ELEMENT_EDGE, {2, 3, 0}},
                                {"Triangle", SOFA_ELEMENT_TRIANGLE, {3, 6, 0}},
                                {"Quadrilateral", SOFA_ELEMENT_QUAD, {4, 8, 9}},
                                {"Tetrahedra", SOFA_ELEMENT_TETRA, {4, 10, 0}},
                                {"Hexahedra", SOFA_ELEMENT_HEXA, {8, 20, 27}},
                                {"Prism", SOFA_ELEMENT_PRISM, {6, 15, 18}},
                                {"Pyramid", SOFA_ELEMENT_PYRAMID, {5, 13, 0}},
                                {"Point", SOFA_ELEMENT_POINT, {1, 0, 0}},
                                {"Sphere", SOFA_ELEMENT_POINT, {1, 0, 0}},
                                {"Circle", SOFA_ELEMENT_POINT, {1, 0, 0}},
                                {NULL, SOFA_ELEMENT_EDGE, {0, 0, 0}}};

/* "MESH [name] dimension 3 ElemType Tetrahedra Nnode 4". */
static SofaErr read_header(GidBuild *b) {
  SofaMeshText *t = &b->text;
  const GidType *type = types;
  int64_t n;
  sofa_mesh_skip(t);
  if (!word_is(t, "MESH")) return sofa_mesh_expected(t, "MESH at the start of a GiD file");
  t->at += 4;
  SOFA_TRY(expect_on_line(b, "dimension", true));
  SOFA_TRY(sofa_mesh_read_index(t, "the dimension", 1, 3, &b->dimension));
  b->dimension++;
  SOFA_TRY(expect_on_line(b, "ElemType", false));
  sofa_mesh_skip_blank(t);
  while (type->name && !word_is(t, type->name)) type++;
  if (!type->name)
    return sofa_mesh_fail(t, SOFA_ERR_UNSUPPORTED,
                          "elements of type '%.*s' are not supported yet: only Linear, Triangle, "
                          "Quadrilateral, Tetrahedra, Hexahedra, Prism, Pyramid, Point, Sphere "
                          "and Circle are",
                          (int)(sofa_mesh_word(t) < 40 ? sofa_mesh_word(t) : 40), t->at);
  t->at += sofa_mesh_word(t);
  SOFA_TRY(expect_on_line(b, "Nnode", false));
  SOFA_TRY(sofa_mesh_read_int(t, "the number of nodes of an element", &n));
  if (n <= 0 || (n != type->n_nodes[0] && n != type->n_nodes[1] && n != type->n_nodes[2]))
    return sofa_mesh_fail(t, SOFA_ERR_RANGE, "%s does not have %lld nodes", type->name,
                          (long long)n);
  if (n != type->n_nodes[0])
    sofa_mesh_warn(t, "of elements with %lld nodes the corners are used", (long long)n);
  b->kind = type->kind;
  b->n_nodes = (unsigned)n;
  return SOFA_OK;
}

/* Moves behind the line with this word alone; comments and blank lines in front are skipped. */
static SofaErr find_section(GidBuild *b, const char *name) {
  SofaMeshText *t = &b->text;
  sofa_mesh_next_line(t);
  for (sofa_mesh_skip(t); t->at < t->end && *t->at == '#'; sofa_mesh_skip(t))
    sofa_mesh_next_line(t);
  if (!word_is(t, name)) return sofa_mesh_expected(t, name);
  sofa_mesh_next_line(t);
  return SOFA_OK;
}

/* At "end name"? Reports when the file ends before. */
static SofaErr at_end(GidBuild *b, const char *name, bool *end) {
  SofaMeshText *t = &b->text;
  sofa_mesh_skip(t);
  *end = word_is(t, "end");
  if (t->at == t->end) return sofa_mesh_expected(t, "'end'");
  if (!*end) return SOFA_OK;
  t->at += 3;
  sofa_mesh_skip_blank(t);
  return word_is(t, name) ? SOFA_OK : sofa_mesh_expected(t, name);
}

static SofaTuple number_key(int64_t number) {
  return (SofaTuple){{(uint32_t)((uint64_t)number >> 32), (uint32_t)number, 0, 0}};
}

static SofaErr read_coordinates(GidBuild *b) {
  SofaMeshText *t = &b->text;
  SofaVec3s *position = &b->out->mesh.position;
  for (;;) {
    bool end;
    int64_t number;
    SofaVec3 p = {{0, 0, 0}};
    uint32_t found;
    SOFA_TRY(at_end(b, "coordinates", &end));
    if (end) return SOFA_OK;
    SOFA_TRY(sofa_mesh_read_int(t, "a node number", &number));
    SOFA_TRY(sofa_mesh_read_reals(t, "a coordinate", b->dimension, p.v));
    const SofaTuple key = number_key(number);
    SOFA_TRY(sofa_tuple_map_add(t->ctx, &b->numbers, &key, (uint32_t)position->n, &found));
    if (found != position->n)
      return sofa_mesh_fail(t, SOFA_ERR_PARSE, "node %lld is given twice", (long long)number);
    SOFA_TRY(SOFA_APPEND(t->ctx, position, &p));
  }
}

static SofaErr read_elements(GidBuild *b) {
  SofaMeshText *t = &b->text;
  // points, spheres and circles are not elements of a mesh
  const bool points = b->kind == SOFA_ELEMENT_POINT;
  const unsigned width = points ? 0 : sofa_element_kind_info(b->kind)->width;
  for (;;) {
    bool end;
    int64_t number, node;
    uint32_t v[8];
    SOFA_TRY(at_end(b, "elements", &end));
    if (end) return SOFA_OK;
    SOFA_TRY(sofa_mesh_read_int(t, "an element number", &number));
    for (unsigned k = 0; k < b->n_nodes; k++) {
      SOFA_TRY(sofa_mesh_read_int(t, "a node number", &node));
      const SofaTuple key = number_key(node);
      const uint32_t rank = sofa_tuple_map_find(&b->numbers, &key);
      if (rank == UINT32_MAX)
        return sofa_mesh_fail(t, SOFA_ERR_RANGE,
                              "element %lld names node %lld, which the file does not have",
                              (long long)number, (long long)node);
      if (k < width) v[k] = rank;
    }
    // a material number may follow, and a radius
    sofa_mesh_next_line(t);
    if (points) continue;
    SOFA_TRY(
        sofa_list_append(t->ctx, sofa_mesh_list(&b->out->mesh, b->kind), width * sizeof *v, v));
  }
}

static SofaErr read_all(GidBuild *b) {
  SOFA_TRY(read_header(b));
  SOFA_TRY(find_section(b, "coordinates"));
  SOFA_TRY(read_coordinates(b));
  SOFA_TRY(find_section(b, "elements"));
  return read_elements(b);
}

SofaErr sofa_gid_read(SofaContext *ctx, const SofaFileBytes *file, SofaMeshData *out) {
  GidBuild b = {.text = sofa_mesh_text(ctx, file), .out = out};
  const SofaErr err = read_all(&b);
  sofa_tuple_map_free(ctx, &b.numbers);
  if (err != SOFA_OK) sofa_mesh_data_free(ctx, out);
  return err;
}
