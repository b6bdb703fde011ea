/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the parsers of all types of value. The first byte picks the type; what was parsed is
 * printed and parsed again, which must give the same text. */
#include "fuzz.h"

#include "behavior/loader.h"

static const SofaType *const types[] = {
#define LISTED(T, name) &sofa_type_##name,
    SOFA_TYPES(LISTED)
#undef LISTED
        & sofa_type_mesh_groups,
    &sofa_type_materials, &sofa_type_index_rows};

/* Parses into *value (zeroed here) and prints. */
static SofaErr round_trip(const SofaParse *parse, const SofaType *type, const char *text,
                          void *value, SofaText *printed) {
  memset(value, 0, type->size);
  const SofaErr err = sofa_type_parse(type, parse, text, value);
  if (err != SOFA_OK && err != SOFA_ERR_PARSE) return err;
  return sofa_type_print(type, parse->ctx, parse->field, value, printed);
}

static void release(SofaContext *ctx, const SofaType *type, void *value) {
  if (type->free) type->free(ctx, value);
}

static void check(SofaContext *ctx, const SofaType *type, const char *text) {
  static const char *const options[] = {"first", "second item", NULL};
  const SofaField field = {.name = "field", .type = type, .options = options};
  SofaText why = {0}, first = {0}, second = {0};
  const SofaParse parse = {.ctx = ctx, .field = &field, .kind = SOFA_VEC3, .why = &why};
  // the largest value struct fits
  union {
    double align;
    char bytes[1024];
  } a, b;
  if (type->size > sizeof a) return;
  if (round_trip(&parse, type, text, a.bytes, &first) == SOFA_OK && first.n) {
    if (round_trip(&parse, type, first.data, b.bytes, &second) == SOFA_OK &&
        type != &sofa_type_strings && /* a word with a quote has no text form */
        (second.n != first.n || memcmp(first.data, second.data, first.n) != 0))
      abort();
    release(ctx, type, b.bytes);
  }
  release(ctx, type, a.bytes);
  sofa_list_free(ctx, &why);
  sofa_list_free(ctx, &first);
  sofa_list_free(ctx, &second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0;
  if (size < 2) return 0;
  SofaContext *ctx = fuzz_context(&said);
  char *text = malloc(size);
  if (ctx && text) {
    memcpy(text, bytes + 1, size - 1);
    text[size - 1] = '\0';
    check(ctx, types[bytes[0] % (sizeof types / sizeof *types)], text);
  }
  free(text);
  sofa_context_destroy(&ctx);
  return 0;
}
