/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small files of every format: with every optional part, at the limits of counts and indices and
 * beyond them, with comments and line ends of every kind. The rows of reader_forms.tsv are a
 * format, a text, what is read or said, and checksums of what is read with other options and of the
 * text cut at each of its bytes, and with each of its bytes replaced by others. What changes on
 * purpose is recorded again: CSOFA_RECORD=FILE writes what was found. */
#include "tests/unit/geometry/reader_forms.h"
#include "tests/support/trace.h"

#define ROWS "tests/unit/geometry/reader_forms.tsv"

static const char *const names[] = {"gmsh",  "obj",    "seams", "vtk", "stl",     "off",
                                    "trian", "trian2", "xsp",   "gid", "spheres", "mtl"};

typedef struct Row {
  Form form;
  const char *written; /* with \n for a line end, \x00 for a byte */
  char text[6000];
  size_t n;
  bool binary; /* a byte is written */
} Row;

/* Fowler, Noll and Vo, 1991. */
static uint32_t add_to_hash(uint32_t hash, const char *text) {
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619U;
  return (hash ^ '\n') * 16777619U;
}
enum { HASH_BEGIN = 0x811c9dc5 };

static void unescape(Row *row) {
  row->n = 0;
  row->binary = false;
  for (const char *at = row->written; *at; at++) {
    const char *found = *at == '\\' ? strchr("n\nr\rt\t\\\\", at[1]) : NULL;
    unsigned byte = 0;
    assert_true(row->n + 1 < sizeof row->text);
    if (*at == '\\' && at[1] == 'x') {
      assert_int_equal(sscanf(at, "\\x%2x", &byte), 1);
      row->text[row->n++] = (char)byte;
      row->binary = true;
      at += 3;
      continue;
    }
    row->text[row->n++] = found ? found[1] : *at;
    at += found != NULL;
  }
}

/* Cuts the next row out of the text. */
static bool next_row(char **at, Row *row) {
  while (**at == '#') *at = strchr(*at, '\n') + 1;
  if (!**at) return false;
  char *tab = strchr(*at, '\t'), *end = strchr(*at, '\n');
  *tab = *end = '\0';
  size_t k = 0;
  while (k < SOFA_COUNT(names) && strcmp(names[k], *at) != 0) k++;
  assert_true(k < SOFA_COUNT(names));
  row->form = (Form)k;
  row->written = tab + 1;
  tab = strchr(row->written, '\t');
  if (tab) *tab = '\0';
  unescape(row);
  *at = end + 1;
  return true;
}

static char *open_rows(Forms *f) {
  char *text = NULL;
  size_t size = 0;
  assert_int_equal(sofa_read_file(f->ctx, ROWS, 0, &text, &size), SOFA_OK);
  return text;
}

static uint32_t with_options(Forms *f, const Row *row) {
  uint32_t hash = HASH_BEGIN;
  for (int k = 0; k < 3; k++) {
    f->faces =
        (SofaFaceOptions){.flip_normals = k == 0, .triangulate = k == 1, .turn_strips = k == 2};
    (void)forms_read(f, row->form, row->text, row->n);
    hash = add_to_hash(hash, f->dump);
  }
  f->faces = (SofaFaceOptions){0};
  return hash;
}

static uint32_t cut_anywhere(Forms *f, const Row *row) {
  uint32_t hash = HASH_BEGIN;
  for (size_t n = 0; n < row->n; n++) {
    (void)forms_read(f, row->form, row->text, n);
    hash = add_to_hash(hash, f->dump);
  }
  return hash;
}

static uint32_t changed_anywhere(Forms *f, Row *row) {
  static const char others[] = " \n7<\v\0\1\2\xff";
  const size_t n_others = row->binary ? sizeof others - 1 : 5;
  uint32_t hash = HASH_BEGIN;
  for (size_t i = 0; i < row->n; i++) {
    const char before = row->text[i];
    for (size_t k = 0; k < n_others; k++) {
      row->text[i] = others[k];
      (void)forms_read(f, row->form, row->text, row->n);
      hash = add_to_hash(hash, f->dump);
    }
    row->text[i] = before;
  }
  return hash;
}

static void as_recorded(void **state) {
  static Forms f;
  static Row row;
  static char found[400000];
  Trace trace = {found, 0, sizeof found};
  (void)state;
  forms_open(&f);
  char *text = open_rows(&f), *at = text;
  trace_add(&trace, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  while (next_row(&at, &row)) {
    (void)forms_read(&f, row.form, row.text, row.n);
    trace_add(&trace, "%s\t%s\t%s\t", names[row.form], row.written, f.dump);
    trace_add(&trace, "%08x\t", with_options(&f, &row));
    trace_add(&trace, "%08x\t", cut_anywhere(&f, &row));
    trace_add(&trace, "%08x\n", changed_anywhere(&f, &row));
  }
  sofa_free(f.ctx, text);
  forms_close(&f);
  trace_check(&trace, ROWS);
}

/* Allocation number k fails, for each k: an error, and nothing is left. */
static void lack_of_memory_is_survived(void **state) {
  static Forms rows, f;
  static Row row;
  (void)state;
  forms_open(&rows);
  char *text = open_rows(&rows), *at = text;
  while (next_row(&at, &row)) {
    SofaErr err = SOFA_ERR_MEMORY;
    const bool good = forms_read(&rows, row.form, row.text, row.n) == SOFA_OK;
    for (uint64_t k = 1; good && err != SOFA_OK; k++) {
      FailingAllocator allocator = {0};
      const SofaOrigin origin = {.file = "file"};
      const SofaContextOptions options = {
          .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
      memset(&f, 0, sizeof f);
      assert_int_equal(sofa_context_create(&options, &f.ctx), SOFA_OK);
      allocator.fail_at = allocator.calls + k;
      err = forms_call(&f, row.form, &(SofaFileBytes){&origin, row.text, row.n});
      assert_true(err == (allocator.calls < allocator.fail_at ? SOFA_OK : SOFA_ERR_MEMORY));
      forms_clear(&f);
      sofa_context_destroy(&f.ctx);
      if (allocator.live) fail_msg("%s: allocation %d leaves something", row.written, (int)k);
    }
  }
  sofa_free(rows.ctx, text);
  forms_close(&rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_recorded),
      cmocka_unit_test(lack_of_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
