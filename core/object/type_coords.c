/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of coordinates of a state's kind, which may be views into a solver's flat vectors. */
#include "object/type_impl.h"

static void set_neutral(double *entry, uint32_t width) {
  sofa_zero(entry, width * sizeof *entry);
  if (width == 7) entry[6] = 1;
}

/* Room for n entries in memory of its own; the entries there are kept. */
static SofaErr reserve(SofaContext *ctx, SofaCoords *list, size_t n) {
  const size_t size = list->width * sizeof(double);
  if (!list->view && n <= list->capacity) return SOFA_OK;
  double *data = sofa_realloc(ctx, list->view ? NULL : list->data, n, size);
  if (!data) return SOFA_ERR_MEMORY;
  if (list->view && list->n) sofa_copy(data, list->data, (list->n < n ? list->n : n) * size);
  list->data = data;
  list->capacity = n;
  list->view = false;
  return SOFA_OK;
}

SofaErr sofa_coords_resize(SofaContext *ctx, SofaCoords *list, size_t n) {
  if (n == list->n) return SOFA_OK;
  SOFA_TRY(reserve(ctx, list, n));
  for (size_t i = list->n; i < n; i++) set_neutral(list->data + i * list->width, list->width);
  list->n = n;
  return SOFA_OK;
}

void sofa_coords_free(SofaContext *ctx, SofaCoords *list) {
  if (!list->view) sofa_free(ctx, list->data);
  *list = (SofaCoords){.width = list->width};
}

void sofa_free_coords(SofaContext *ctx, void *value) {
  sofa_coords_free(ctx, value);
}

static uint32_t kind_width(const SofaParse *parse) {
  if (parse->kind == SOFA_NO_KIND) return 3;
  const SofaStateKindInfo *info = sofa_state_kind_info(parse->kind);
  const bool deriv = parse->field && (parse->field->flags & SOFA_FIELD_DERIV);
  return deriv ? info->deriv : info->coord;
}

SofaErr sofa_parse_coords(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  SofaCoords *list = value;
  SofaReals reals = {0};
  SofaErr err = SOFA_OK;
  (void)type;
  if (!list->width) list->width = kind_width(parse);
  // a bad character ends the list, the values before it count
  SofaErr read = sofa_parse_list(&sofa_type_reals, parse, text, &reals);
  if (read != SOFA_OK && read != SOFA_ERR_PARSE) SOFA_GO(err, done, read);
  const size_t n = reals.n / list->width, rest = reals.n % list->width;
  if (rest && !read) {
    read = sofa_refuse(parse, "expected %u numbers per entry, the last one has only %u",
                       (unsigned)list->width, (unsigned)rest);
  }
  SOFA_GO(err, done, sofa_coords_resize(parse->ctx, list, n));
  if (n) sofa_copy(list->data, reals.data, n * list->width * sizeof(double));
  err = read;
done:
  sofa_list_free(parse->ctx, &reals);
  return err;
}

SofaErr sofa_print_coords(const SofaType *type, SofaContext *ctx, const SofaField *field,
                          const void *value, SofaText *out) {
  const SofaCoords *list = value;
  (void)type;
  (void)field;
  return sofa_print_reals(ctx, list->data, list->n * list->width, out);
}

SofaErr sofa_copy_coords(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaCoords *source = from;
  SofaCoords *target = to;
  if (source == target) return SOFA_OK;
  if (!target->width) target->width = source->width;
  if (target->width != source->width) return sofa_type_convert(ctx, type, from, type, to);
  SOFA_TRY(sofa_coords_resize(ctx, target, source->n));
  if (source->n) sofa_move(target->data, source->data, source->n * source->width * sizeof(double));
  return SOFA_OK;
}
