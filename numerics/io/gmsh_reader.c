/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Gmsh files: finds version and sections, and reads the text form.
 * Source: Gmsh reference manual, "MSH file format", "Legacy formats"; version 3, which Gmsh had for
 * a while without describing it: what Gmsh reads (GModelIO_MSH3.cpp). */
#include "numerics/io/gmsh_reader.h"

#include "numerics/io/gmsh_build_impl.h"

static SofaErr expect_word(SofaGmshBuild *b, const char *word) {
  sofa_mesh_skip(&b->text);
  if (!sofa_mesh_word_is(&b->text, word)) return sofa_mesh_expected(&b->text, word);
  b->text.at += strlen(word);
  return SOFA_OK;
}

/* Moves behind the line that begins with `section`. */
static SofaErr find_section(SofaGmshBuild *b, const char *section) {
  SofaMeshText *t = &b->text;
  const int line = t->line;
  while (t->at < t->end) {
    sofa_mesh_skip_blank(t);
    const bool found = sofa_mesh_word_is(t, section);
    sofa_mesh_next_line(t);
    if (found) return SOFA_OK;
  }
  t->line = line;
  return sofa_mesh_fail(t, SOFA_ERR_PARSE, "no section %s from here on", section);
}

/* ---- versions 1 and 2 ---- */

static SofaErr text2_nodes(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of nodes", 8, &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, n));
  for (size_t i = 0; i < n; i++) {
    int64_t number;
    double x[3];
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &number));
    SOFA_TRY(sofa_mesh_read_reals(&b->text, "a coordinate", 3, x));
    SOFA_TRY(sofa_gmsh_add_node(b, number, x));
  }
  return SOFA_OK;
}

/* Tags of an element; *tag is the last one. Version 1: physical and elementary region, node count.
 */
static SofaErr text2_tags(SofaGmshBuild *b, int version, unsigned n_nodes, int64_t *tag) {
  int64_t n, ignored;
  *tag = -1;
  if (version == 10) {
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a region", &ignored));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a region", &ignored));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "the number of nodes", &n));
    if (n != n_nodes)
      return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%lld nodes in an element that has %u",
                            (long long)n, n_nodes);
    return SOFA_OK;
  }
  SOFA_TRY(sofa_mesh_read_int(&b->text, "the number of tags", &n));
  if (n < 0 || n > 64)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "%lld tags in an element", (long long)n);
  for (int64_t k = 0; k < n; k++) SOFA_TRY(sofa_mesh_read_int(&b->text, "a tag", tag));
  return SOFA_OK;
}

static SofaErr text2_elements(SofaGmshBuild *b, int version) {
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of elements", 6, &n));
  for (size_t i = 0; i < n; i++) {
    int64_t number, type, tag, nodes[SOFA_GMSH_MAX_NODES];
    unsigned n_nodes;
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an element number", &number));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an element type", &type));
    SOFA_TRY(sofa_gmsh_read_type(b, type, &n_nodes));
    SOFA_TRY(text2_tags(b, version, n_nodes, &tag));
    for (unsigned k = 0; k < n_nodes; k++)
      SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &nodes[k]));
    SOFA_TRY(sofa_gmsh_add_element(b, type, tag, nodes));
  }
  return SOFA_OK;
}

/* ---- version 3 ---- */

/* Behind its point a node has its entity; when there is one, its dimension and a parameter per
 * dimension. */
static SofaErr text3_nodes(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of nodes", 10, &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, n));
  for (size_t i = 0; i < n; i++) {
    int64_t number, entity;
    uint32_t dim = 0;
    double x[3], parameter;
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &number));
    SOFA_TRY(sofa_mesh_read_reals(&b->text, "a coordinate", 3, x));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an entity tag", &entity));
    if (entity != 0) SOFA_TRY(sofa_mesh_read_index(&b->text, "a dimension", 0, 4, &dim));
    for (uint32_t k = 0; k < dim; k++)
      if (!sofa_mesh_real(&b->text, &parameter)) return sofa_mesh_expected(&b->text, "a parameter");
    SOFA_TRY(sofa_gmsh_add_node(b, number, x));
  }
  return SOFA_OK;
}

/* An element has its entity and a count of the numbers behind: nodes, then partitions. */
static SofaErr text3_elements(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of elements", 8, &n));
  for (size_t i = 0; i < n; i++) {
    int64_t number, type, entity, count, ignored, nodes[SOFA_GMSH_MAX_NODES];
    unsigned n_nodes;
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an element number", &number));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an element type", &type));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an entity tag", &entity));
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a count of numbers", &count));
    SOFA_TRY(sofa_gmsh_read_type(b, type, &n_nodes));
    if (count < n_nodes)
      return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%lld numbers in an element of %u nodes",
                            (long long)count, n_nodes);
    for (unsigned k = 0; k < n_nodes; k++)
      SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &nodes[k]));
    for (int64_t k = n_nodes; k < count; k++)
      SOFA_TRY(sofa_mesh_read_int(&b->text, "a partition", &ignored));
    SOFA_TRY(sofa_gmsh_add_element(b, type, entity, nodes));
  }
  return SOFA_OK;
}

/* ---- versions 4.0 and 4.1 ---- */

/* Section header: blocks, entries; since 4.1 smallest and largest tag. */
static SofaErr text4_header(SofaGmshBuild *b, int version, size_t *n_blocks, size_t *n) {
  int64_t ignored;
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of blocks", 2, n_blocks));
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of entries", 2, n));
  if (version < 41) return SOFA_OK;
  SOFA_TRY(sofa_mesh_read_int(&b->text, "the smallest tag", &ignored));
  return sofa_mesh_read_int(&b->text, "the largest tag", &ignored);
}

/* The two numbers that a block begins with: 4.1 put the dimension first. */
static SofaErr text4_entity(SofaGmshBuild *b, int version, int64_t *dim, int64_t *entity) {
  int64_t *const order[2] = {version < 41 ? entity : dim, version < 41 ? dim : entity};
  for (int k = 0; k < 2; k++)
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a dimension or an entity tag", order[k]));
  return SOFA_OK;
}

/* Reads one block: 4.0 has the tag in front of each point; since 4.1 all tags stand before the
 * coordinates. */
static SofaErr text4_node_block(SofaGmshBuild *b, int version, size_t limit) {
  int64_t dim, entity, parametric;
  size_t n;
  SOFA_TRY(text4_entity(b, version, &dim, &entity));
  SOFA_TRY(sofa_mesh_read_int(&b->text, "0 or 1", &parametric));
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of nodes", 2, &n));
  if (dim < 0 || dim > 3 || n > limit)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "block of %zu nodes of dimension %lld", n,
                          (long long)dim);
  // a second cursor reads the coordinates while this one reads the tags
  SofaMeshText tags = b->text;
  for (size_t i = 0; version >= 41 && i < n; i++) {
    int64_t ignored;
    SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &ignored));
  }
  for (size_t i = 0; i < n; i++) {
    int64_t number = 0;
    double x[3], ignored;
    if (version >= 41) sofa_mesh_int(&tags, &number);
    else SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &number));
    SOFA_TRY(sofa_mesh_read_reals(&b->text, "a coordinate", 3, x));
    for (int64_t k = 0; parametric && k < dim; k++)
      if (!sofa_mesh_real(&b->text, &ignored)) return sofa_mesh_expected(&b->text, "a parameter");
    SOFA_TRY(sofa_gmsh_add_node(b, number, x));
  }
  return SOFA_OK;
}

static SofaErr text4_element_block(SofaGmshBuild *b, int version, size_t *total) {
  int64_t dim, entity, type;
  size_t count;
  unsigned n_nodes;
  SOFA_TRY(text4_entity(b, version, &dim, &entity));
  SOFA_TRY(sofa_mesh_read_int(&b->text, "an element type", &type));
  SOFA_TRY(sofa_mesh_read_count(&b->text, "number of elements", 2, &count));
  SOFA_TRY(sofa_gmsh_read_type(b, type, &n_nodes));
  for (size_t e = 0; e < count; e++) {
    int64_t number, nodes[SOFA_GMSH_MAX_NODES];
    SOFA_TRY(sofa_mesh_read_int(&b->text, "an element number", &number));
    for (unsigned k = 0; k < n_nodes; k++)
      SOFA_TRY(sofa_mesh_read_int(&b->text, "a node number", &nodes[k]));
    SOFA_TRY(sofa_gmsh_add_element(b, type, entity, nodes));
  }
  *total += count;
  return SOFA_OK;
}

/* ---- both forms ---- */

static SofaErr text_nodes(SofaGmshBuild *b, int version) {
  return version == 30 ? text3_nodes(b) : text2_nodes(b);
}

static SofaErr text_elements(SofaGmshBuild *b, int version) {
  return version == 30 ? text3_elements(b) : text2_elements(b, version);
}

static const SofaGmshForm text_form = {.nodes = text_nodes,
                                       .elements = text_elements,
                                       .header4 = text4_header,
                                       .node_block4 = text4_node_block,
                                       .element_block4 = text4_element_block};

static SofaErr nodes4(SofaGmshBuild *b, const SofaGmshForm *form, int version) {
  size_t n_blocks, n;
  const SofaVec3s *position = &b->out->mesh.position;
  SOFA_TRY(form->header4(b, version, &n_blocks, &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, n));
  for (size_t i = 0; i < n_blocks; i++) SOFA_TRY(form->node_block4(b, version, n - position->n));
  if (position->n == n) return SOFA_OK;
  return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu nodes announced, %zu given", n, position->n);
}

static SofaErr elements4(SofaGmshBuild *b, const SofaGmshForm *form, int version) {
  size_t n_blocks, n, total = 0;
  SOFA_TRY(form->header4(b, version, &n_blocks, &n));
  for (size_t i = 0; i < n_blocks; i++) SOFA_TRY(form->element_block4(b, version, &total));
  if (total == n) return SOFA_OK;
  return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%zu elements announced, %zu given", n, total);
}

/* The sections of nodes and elements. */
static SofaErr read_sections(SofaGmshBuild *b, int version) {
  const SofaGmshForm *form = b->text.binary ? &sofa_gmsh_binary_form : &text_form;
  b->unique_mid_edges = version >= 40;
  SOFA_TRY(find_section(b, "$Nodes"));
  SOFA_TRY(version >= 40 ? nodes4(b, form, version) : form->nodes(b, version));
  SOFA_TRY(expect_word(b, "$EndNodes"));
  SOFA_TRY(find_section(b, "$Elements"));
  SOFA_TRY(version >= 40 ? elements4(b, form, version) : form->elements(b, version));
  return expect_word(b, "$EndElements");
}

/* Version 1 has a text form and section names of its own. */
static SofaErr read_version1(SofaGmshBuild *b) {
  SOFA_TRY(expect_word(b, "$NOD"));
  SOFA_TRY(text2_nodes(b));
  SOFA_TRY(expect_word(b, "$ENDNOD"));
  SOFA_TRY(find_section(b, "$ELM"));
  SOFA_TRY(text2_elements(b, 10));
  return expect_word(b, "$ENDELM");
}

/* ---- the file ---- */

static SofaErr read_format(SofaGmshBuild *b, double *version) {
  int64_t binary, data_size;
  SOFA_TRY(expect_word(b, "$MeshFormat"));
  if (!sofa_mesh_real(&b->text, version)) return sofa_mesh_expected(&b->text, "a version number");
  SOFA_TRY(sofa_mesh_read_int(&b->text, "0 (text) or 1 (binary)", &binary));
  SOFA_TRY(sofa_mesh_read_int(&b->text, "the data size", &data_size));
  const bool may_be_4 = *version < 4 || *version >= 4.1;
  if (binary != 0 && data_size != 8 && (data_size != 4 || !may_be_4))
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "the data size is %lld; it must be %s",
                          (long long)data_size, may_be_4 ? "4 or 8" : "8");
  b->data_size = (unsigned)data_size;
  if (binary != 0) {
    sofa_mesh_next_line(&b->text);
    SOFA_TRY(sofa_gmsh_binary_order(b));
    b->text.binary = true;
  }
  return expect_word(b, "$EndMeshFormat");
}

static SofaErr read_all(SofaGmshBuild *b) {
  double version;
  sofa_mesh_skip(&b->text);
  if (sofa_mesh_word_is(&b->text, "$NOD")) return read_version1(b);
  if (!sofa_mesh_word_is(&b->text, "$MeshFormat"))
    return sofa_mesh_expected(&b->text, "$MeshFormat or $NOD at the start of a Gmsh file");
  SOFA_TRY(read_format(b, &version));
  if (version >= 2 && version < 3) return read_sections(b, 20);
  if (version >= 3 && version < 4) return read_sections(b, 30);
  if (version >= 4 && version < 4.1) return read_sections(b, 40);
  if (version >= 4.1 && version < 4.2) return read_sections(b, 41);
  return sofa_mesh_fail(&b->text, SOFA_ERR_UNSUPPORTED,
                        "MSH version %g is not supported yet: only 1 to 4.1 are", version);
}

SofaErr sofa_gmsh_read(SofaContext *ctx, const SofaFileBytes *file, SofaMeshData *out) {
  SofaGmshBuild b = {.text = sofa_mesh_text(ctx, file), .out = out};
  const SofaErr err = read_all(&b);
  sofa_gmsh_build_free(&b);
  if (err != SOFA_OK) sofa_mesh_data_free(ctx, out);
  return err;
}
