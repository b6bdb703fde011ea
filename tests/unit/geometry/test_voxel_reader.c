/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader of voxels against a plain search of the image: every region of small images, with and
 * without a header, values that are used or left out, sizes that differ along the axes; and images
 * that do not fit their file. */
#include "tests/support/scene_run.h"
#include "tests/unit/geometry/reader_test.h"

#include <unistd.h>

#include "numerics/io/mesh_readers.h"

enum { NX = 3, NY = 2, NZ = 4, N = NX * NY * NZ, HEADER = 5 };

typedef struct Case {
  SofaVoxelOptions options;
  int32_t listed[2]; /* of options.active or options.ignored */
  unsigned char bytes[HEADER + N];
} Case;

/* Bytes of the header would be voxels that are used. */
static void make_image(Case *c, size_t header) {
  memset(c, 0, sizeof *c);
  memset(c->bytes, 7, sizeof c->bytes);
  for (int i = 0; i < N; i++) c->bytes[header + (size_t)i] = (unsigned char)((i * 5 + i / 7) % 4);
  c->options.resolution[0] = NX, c->options.resolution[1] = NY, c->options.resolution[2] = NZ;
  c->options.header_size = header;
  c->options.voxel_size = (SofaVec3){{2, 0.5, 3}};
  for (int k = 0; k < 3; k++) c->options.roi[3 + k] = 65535;
}

static bool in_region(const Case *c, const int at[3]) {
  bool in = true;
  for (int k = 0; k < 3; k++) {
    const int n = c->options.resolution[k];
    int first = c->options.roi[k], last = c->options.roi[3 + k];
    if (first < 0) first = 0;
    if (first >= n) first = n - 1;
    if (last >= n) last = n - 1;
    if (last < first) last = first;
    in = in && at[k] >= first && at[k] <= last;
  }
  return in;
}

static bool is_used(const Case *c, const int at[3]) {
  const SofaVoxelOptions *o = &c->options;
  for (int k = 0; k < 3; k++)
    if (at[k] < 0 || at[k] >= o->resolution[k]) return false;
  const int value = c->bytes[o->header_size + (size_t)(at[0] + NX * (at[1] + NY * at[2]))];
  const SofaInts *list = o->active.n ? &o->active : &o->ignored;
  bool found = false;
  for (size_t i = 0; i < list->n; i++) found = found || list->data[i] == value;
  return in_region(c, at) && found == (o->active.n > 0);
}

/* Is the corner one of a voxel that is used? */
static bool is_corner(const Case *c, const int at[3]) {
  for (int k = 0; k < 8; k++) {
    const int below[3] = {at[0] - (k & 1), at[1] - (k >> 1 & 1), at[2] - (k >> 2)};
    if (is_used(c, below)) return true;
  }
  return false;
}

/* Rank of a corner among those in use, x fastest. */
static uint32_t rank_of(const Case *c, const int to[3]) {
  uint32_t rank = 0;
  int at[3];
  for (at[2] = 0; at[2] <= NZ; at[2]++)
    for (at[1] = 0; at[1] <= NY; at[1]++)
      for (at[0] = 0; at[0] <= NX; at[0]++) {
        if (memcmp(at, to, sizeof at) == 0) return rank;
        rank += is_corner(c, at);
      }
  return UINT32_MAX;
}

static void expect_hexahedron(const Case *c, const int at[3], const SofaHexa *hexa) {
  static const int steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int k = 0; k < 8; k++) {
    const int to[3] = {at[0] + steps[k][0], at[1] + steps[k][1], at[2] + steps[k][2]};
    assert_int_equal(hexa->v[k], rank_of(c, to));
  }
}

static void expect_point(const Case *c, const int at[3], const SofaVec3 *p) {
  for (int k = 0; k < 3; k++) assert_true(p->v[k] == at[k] * c->options.voxel_size.v[k]);
}

static void expect_mesh(const Case *c, const SofaMesh *mesh, const SofaIndices *index) {
  const bool hexahedra = c->options.hexahedra;
  size_t n_points = 0, n_voxels = 0;
  int at[3];
  for (at[2] = 0; at[2] <= NZ; at[2]++)
    for (at[1] = 0; at[1] <= NY; at[1]++)
      for (at[0] = 0; at[0] <= NX; at[0]++) {
        if (hexahedra ? is_corner(c, at) : is_used(c, at)) {
          assert_true(n_points < mesh->position.n);
          expect_point(c, at, &mesh->position.data[n_points++]);
        }
        if (!is_used(c, at)) continue;
        assert_true(n_voxels < index->n);
        assert_int_equal(index->data[n_voxels], at[0] + NX * (at[1] + NY * at[2]));
        if (hexahedra) expect_hexahedron(c, at, &mesh->hexahedra.data[n_voxels]);
        n_voxels++;
      }
  assert_int_equal(mesh->position.n, n_points);
  assert_int_equal(index->n, n_voxels);
  assert_int_equal(mesh->hexahedra.n, hexahedra ? n_voxels : 0);
}

static void read_and_expect(Reader *r, const Case *c) {
  const SofaFileBytes file = {.bytes = (const char *)c->bytes, .size = c->options.header_size + N};
  SofaIndices index = {0};
  reader_clear(r);
  assert_int_equal(sofa_voxels_read(r->ctx, &file, &c->options, &r->data.mesh, &index), SOFA_OK);
  assert_int_equal(r->n_warnings, 0);
  expect_mesh(c, &r->data.mesh, &index);
  sofa_list_free(r->ctx, &index);
}

/* Two axes at a time: first and last voxel before, at and behind the ends of the image. */
static void regions(void **state) {
  static const int ends[] = {-2, -1, 0, 1, 2, 3, 4, 65535};
  Reader r;
  Case c;
  (void)state;
  reader_open(&r);
  make_image(&c, 0);
  c.options.ignored = (SofaInts){.data = c.listed, .n = 1}; // value 0
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < 64; i++) {
      const int other = (axis + 1) % 3;
      memset(c.options.roi, 0, sizeof c.options.roi);
      for (int k = 0; k < 3; k++) c.options.roi[3 + k] = 65535;
      c.options.roi[axis] = ends[i % 8], c.options.roi[3 + axis] = ends[i / 8];
      c.options.roi[other] = ends[i * 5 % 8], c.options.roi[3 + other] = ends[i * 3 % 7];
      for (int hexahedra = 0; hexahedra < 2; hexahedra++) {
        c.options.hexahedra = hexahedra != 0;
        read_and_expect(&r, &c);
      }
    }
  reader_close(&r);
}

/* Lists of values: none, one, two; those of used voxels go before those of ignored ones. Values
 * that no byte has are allowed. */
static void values(void **state) {
  static const int32_t lists[][2] = {{0, 3}, {2, 1}, {3, 3}, {255, 0}, {-1, 256}};
  Reader r;
  Case c;
  (void)state;
  reader_open(&r);
  for (size_t i = 0; i < 5 * 3 * 3 * 4; i++) {
    make_image(&c, i & 1 ? HEADER : 0);
    memcpy(c.listed, lists[i / 36], sizeof c.listed);
    c.options.active = (SofaInts){.data = c.listed, .n = i / 12 % 3};
    c.options.ignored = (SofaInts){.data = c.listed, .n = i / 4 % 3};
    c.options.hexahedra = (i & 2) != 0;
    c.bytes[c.options.header_size] = 255; // the least and the greatest value
    c.bytes[c.options.header_size + N - 1] = 0;
    read_and_expect(&r, &c);
  }
  reader_close(&r);
}

static void expect_message(Reader *r, const Case *c, size_t size, SofaErr expected,
                           const char *message) {
  const SofaFileBytes file = {.bytes = (const char *)c->bytes, .size = size};
  SofaIndices index = {0};
  reader_clear(r);
  const SofaErr err = sofa_voxels_read(r->ctx, &file, &c->options, &r->data.mesh, &index);
  assert_int_equal(err, expected);
  assert_string_equal(r->message, message);
  assert_int_equal(r->n_errors, expected != SOFA_OK);
  if (err != SOFA_OK) assert_null(r->data.mesh.position.data);
  if (err != SOFA_OK) assert_null(index.data);
  sofa_list_free(r->ctx, &index);
}

/* One byte too few, as many as there must be, one too many. */
static void sizes_of_files(void **state) {
  Reader r;
  Case c;
  (void)state;
  reader_open(&r);
  make_image(&c, HEADER);
  expect_message(&r, &c, HEADER + N - 1, SOFA_ERR_PARSE,
                 "byte 0: 3 x 2 x 4 voxels and a header of 5 bytes do not fit 28 bytes");
  expect_message(&r, &c, HEADER - 1, SOFA_ERR_PARSE,
                 "byte 0: 3 x 2 x 4 voxels and a header of 5 bytes do not fit 4 bytes");
  expect_message(&r, &c, HEADER + N, SOFA_OK, "");
  c.options.header_size = HEADER - 2;
  expect_message(&r, &c, HEADER + N, SOFA_OK, "byte 0: the file has 2 bytes after the voxels");
  c.options.header_size = HEADER + 1;
  expect_message(&r, &c, HEADER + N, SOFA_ERR_PARSE,
                 "byte 0: 3 x 2 x 4 voxels and a header of 6 bytes do not fit 29 bytes");
  reader_close(&r);
}

static void resolutions(void **state) {
  static const int bad[] = {0, -1, (1 << 20) + 1};
  Reader r;
  Case c;
  char message[200];
  (void)state;
  reader_open(&r);
  for (int i = 0; i < 9; i++) {
    make_image(&c, 0);
    c.options.resolution[i / 3] = bad[i % 3];
    snprintf(message, sizeof message, "byte 0: resolution %d %d %d, each must be in 1 to 1048576",
             c.options.resolution[0], c.options.resolution[1], c.options.resolution[2]);
    expect_message(&r, &c, N, SOFA_ERR_RANGE, message);
  }
  for (int k = 0; k < 3; k++) {
    make_image(&c, 0);
    c.options.resolution[k] = 1 << 20;
    c.options.resolution[(k + 1) % 3] = c.options.resolution[(k + 2) % 3] = 1 << 20;
    expect_message(&r, &c, N, SOFA_ERR_PARSE,
                   "byte 0: 1048576 x 1048576 x 1048576 voxels and a header of 0 bytes do not fit "
                   "24 bytes");
  }
  make_image(&c, 0);
  for (int k = 0; k < 3; k++) c.options.resolution[k] = 1;
  expect_message(&r, &c, 1, SOFA_OK, "");
  assert_int_equal(r.data.mesh.position.n, 1);
  reader_close(&r);
}

/* ---- the component ---- */

static void field_is(SceneRun *run, const char *field, const char *expected) {
  SofaText text = {0};
  const SofaObject *object = scene_run_object(run, "/l");
  assert_int_equal(sofa_field_print(object, sofa_class_field(object->klass, field), &text),
                   SOFA_OK);
  assert_string_equal(text.data ? text.data : "", expected);
  sofa_list_free(run->ctx, &text);
}

/* Values come from behind the header; outputs that the scene gives are replaced. */
static void component(void **state) {
  static const char image[] = "hh\1\0\2\3\1\1";
  char path[64] = "/tmp/csofa_voxels_XXXXXX", text[600];
  const int file = mkstemp(path);
  (void)state;
  assert_true(file >= 0);
  assert_int_equal(write(file, image, 8), 8);
  close(file);
  for (int hexahedra = 0; hexahedra < 2; hexahedra++) {
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><VoxelGridLoader name='l' header='2' "
             "filename='%s' resolution='3 2 1' voxelSize='2 3 4' bgValue='0' ROI='1 0 0 2 9 0' "
             "position='5 5 5 6 6 6' hexahedra='0 1 0 1 0 1 0 1' idxInRegularGrid='8 9' "
             "voxelValues='6 6 6 6 6 6 6 6' generateHexa='%d'/></Node>",
             path, hexahedra);
    scene_run_open(&run, text, NULL);
    field_is(&run, "voxelValues", "2 1 1");
    field_is(&run, "idxInRegularGrid", "2 4 5");
    if (!hexahedra) field_is(&run, "position", "4 0 0 2 3 0 4 3 0");
    field_is(&run, "hexahedra",
             hexahedra ? "0 1 4 3 8 9 12 11 2 3 6 5 10 11 14 13 3 4 7 6 11 12 15 14" : "");
    scene_run_close(&run);
  }
  for (int n = 5; n < 8; n += 2) {
    SceneRun run = {.quiet = true};
    char expected[60];
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><VoxelGridLoader name='l' header='2' "
             "filename='%s' resolution='3 2 1' ROI='%s'/></Node>",
             path, n == 5 ? "0 0 0 1 1" : "0 0 0 1 1 1 1");
    scene_run_context(&run, NULL);
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    assert_int_not_equal(err, SOFA_OK);
    snprintf(expected, sizeof expected, "%d numbers, expected 6", n);
    assert_non_null(strstr(run.all, expected));
    scene_run_close(&run);
  }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regions),        cmocka_unit_test(values),    cmocka_unit_test(resolutions),
      cmocka_unit_test(sizes_of_files), cmocka_unit_test(component),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
