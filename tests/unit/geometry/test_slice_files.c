/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that processes read in slices: each has its part of what one process reads, with the same
 * numbers, groups and bits; broken files end with a message. */
#include "tests/unit/scene/scene_test.h"

#include <sys/stat.h>

#include "behavior/loader.h"
#include "components/builtins.h"
#include "object/node.h"
#include "simulation/simulation.h"
#include "tests/unit/geometry/slice_files.h"
#include "tests/unit/geometry/sliced_mesh.h"
#include "tests/unit/geometry/vtu_files.h"
#include "tests/unit/simulation/processes.h"
#include "topology/division.h"

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), SOFA_ERR_ARGUMENT

/* A run of several processes; process `other` reads another file, if there is one. */
typedef struct Run {
  const char *loader, *attributes;
  const char *before, *after; /* objects of the scene; NULL: none */
  char path[100], other_path[100];
  int other;
  SofaMeshLoader *whole;   /* what one process has read */
  bool arrays, cell_array; /* the file has those of points; of cells */
  bool undivided;          /* every process has all of it */
  bool sliced;             /* was the file read in slices? */
  char messages[1 << 14];
} Run;

static SofaMeshLoader *find_loader(SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_class_is_a(node->objects.data[i]->klass, &sofa_mesh_loader_class))
      return (SofaMeshLoader *)node->objects.data[i];
  return node->children.n ? find_loader(node->children.data[0]) : NULL;
}

static SofaErr load(SofaContext *ctx, const Run *run, const char *path, SofaSimulation **s) {
  char scene[1000];
  snprintf(scene, sizeof scene,
           "<Node><RequiredPlugin pluginName='Sofa.Component'/><DefaultAnimationLoop/><Node>%s"
           "<%s name='loader' filename='%s' %s/><MechanicalObject name='dofs' "
           "position='@loader.position'/>%s</Node></Node>",
           run->before ? run->before : "", run->loader, path, run->attributes,
           run->after ? run->after : "");
  return sofa_simulation_load_text(ctx, scene, s);
}

/* ---- what is read ---- */

static SofaErr check_elements(const SofaMesh *whole, const SofaMesh *own, const SofaDivision *d) {
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements all = sofa_mesh_elements(whole, (SofaElementKind)k),
                       mine = sofa_mesh_elements(own, (SofaElementKind)k);
    CHECK(d->n_whole_elements[k] == all.n && d->elements[k].n == mine.n);
    for (size_t i = 0; i < mine.n * mine.width; i++) {
      const size_t e = d->elements[k].data[i / mine.width];
      CHECK(d->number.data[mine.v[i]] == all.v[e * all.width + i % mine.width]);
    }
  }
  return SOFA_OK;
}

static size_t count_below(const SofaIndices *numbers, uint32_t end) {
  size_t n = 0;
  while (n < numbers->n && numbers->data[n] < end) n++;
  return n;
}

static SofaErr check_groups(const SofaMeshLoader *whole, const SofaMeshLoader *own) {
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaMeshGroups *all = &whole->data.groups[k], *mine = &own->data.groups[k];
    const SofaIndices *numbers = &own->division->elements[k];
    CHECK(all->n == mine->n);
    for (size_t i = 0; i < all->n; i++) {
      const SofaMeshGroup *a = &all->data[i], *b = &mine->data[i];
      CHECK(strcmp(a->name, b->name) == 0 && strcmp(a->material, b->material) == 0);
      CHECK(a->material_id == b->material_id && b->first == count_below(numbers, a->first));
      CHECK(b->first + b->n == count_below(numbers, a->first + a->n));
    }
  }
  return SOFA_OK;
}

static SofaErr check_part(const SofaMeshLoader *whole, const SofaMeshLoader *own) {
  const SofaDivision *d = own->division;
  CHECK(d && d->n_whole == whole->data.mesh.position.n && d->n == own->data.mesh.position.n);
  CHECK(own->data.normals.n == d->n && whole->data.normals.n == d->n_whole);
  for (size_t i = 0; i < d->n; i++) {
    const uint32_t p = d->number.data[i];
    CHECK(memcmp(&own->data.mesh.position.data[i], &whole->data.mesh.position.data[p],
                 sizeof(SofaVec3)) == 0);
    CHECK(memcmp(&own->data.normals.data[i], &whole->data.normals.data[p], sizeof(SofaVec3)) == 0);
  }
  SOFA_TRY(check_elements(&whole->data.mesh, &own->data.mesh, d));
  return check_groups(whole, own);
}

/* Entries of a list of the loader that are those of points or elements of this process. */
static SofaErr check_field(const SofaMeshLoader *whole, const SofaMeshLoader *own, const char *name,
                           const SofaIndices *numbers) {
  const SofaField *of_whole = sofa_class_field(whole->object.klass, name);
  const SofaField *of_own = sofa_class_field(own->object.klass, name);
  CHECK(of_whole && of_own && of_whole->type == of_own->type);
  const SofaAnyList *all = sofa_field_value((SofaObject *)(uintptr_t)&whole->object, of_whole);
  const SofaAnyList *mine = sofa_field_value((SofaObject *)(uintptr_t)&own->object, of_own);
  const size_t size = of_own->type->width * sofa_scalar_size(of_own->type->scalar);
  CHECK(mine->n == numbers->n);
  for (size_t i = 0; i < mine->n; i++) {
    CHECK(numbers->data[i] < all->n);
    CHECK(memcmp((const char *)mine->data + i * size,
                 (const char *)all->data + numbers->data[i] * size, size) == 0);
  }
  return SOFA_OK;
}

static SofaErr check_fields(const Run *run, const SofaMeshLoader *own) {
  const SofaDivision *d = own->division;
  for (size_t i = 0; run->arrays && i < 3; i++)
    SOFA_TRY(check_field(run->whole, own, (const char *[]){"heat", "number", "direction"}[i],
                         &d->number));
  if (run->cell_array)
    SOFA_TRY(check_field(run->whole, own, "E", &d->elements[SOFA_ELEMENT_TETRA]));
  CHECK(!run->arrays || !sofa_class_field(own->object.klass, "short"));
  return SOFA_OK;
}

static SofaErr check_whole(const SofaMeshLoader *whole, const SofaMeshLoader *own) {
  CHECK(!own->division && sliced_equal(&whole->data.mesh, &own->data.mesh));
  return SOFA_OK;
}

/* The size of the file of a process, whose reading as a whole takes that much and two bytes. */
static _Thread_local struct {
  size_t size;
  bool whole;
} file_read;

static void *watch(void *user, void *block, size_t size) {
  if (file_read.size && size == file_read.size + 2) file_read.whole = true;
  return bench_allocate(user, block, size);
}

static void watch_file(SofaContext *ctx, const char *path) {
  struct stat info;
  file_read.size = stat(path, &info) == 0 ? (size_t)info.st_size : 0;
  file_read.whole = false;
  ctx->allocate = watch;
}

static SofaErr check_file(SofaContext *ctx, int rank, Run *run) {
  SofaSimulation *s = NULL;
  watch_file(ctx, run->path);
  SofaErr err = load(ctx, run, rank == run->other ? run->other_path : run->path, &s);
  SofaMeshLoader *loader = err == SOFA_OK ? find_loader(s->root) : NULL;
  if (err == SOFA_OK) err = sofa_simulation_init(s);
  if (rank == 0) run->sliced = !file_read.whole;
  if (err == SOFA_OK && run->undivided) err = check_whole(run->whole, loader);
  else if (err == SOFA_OK && run->whole) err = check_part(run->whole, loader);
  if (err == SOFA_OK && run->whole) err = check_fields(run, loader);
  sofa_simulation_destroy(&s);
  return err;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Run *run = user;
  Bench *b = calloc(1, sizeof *b);
  bench_open(b, false);
  SofaErr err = sofa_register_builtins(b->ctx);
  if (err == SOFA_OK) err = thread_join(process, b->ctx);
  if (err == SOFA_OK) err = check_file(b->ctx, process->rank, run);
  pthread_mutex_lock(&process->all->mutex);
  if (strstr(b->messages, "error") && !run->messages[0])
    snprintf(run->messages, sizeof run->messages, "%.*s", (int)sizeof run->messages - 1,
             b->messages);
  pthread_mutex_unlock(&process->all->mutex);
  bench_close(b);
  free(b);
  return err;
}

/* Compares the parts of 2 to 5 processes with what one reads. */
static void compare(Run *run, const char *name, bool sliced) {
  Bench *b = calloc(1, sizeof *b);
  SofaSimulation *s = NULL;
  bench_open(b, false);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  run->other = -1;
  if (load(b->ctx, run, run->path, &s) != SOFA_OK) fail_msg("%s: %s", name, b->messages);
  run->whole = find_loader(s->root);
  if (run->undivided) assert_int_equal(sofa_simulation_init(s), SOFA_OK);
  for (int n = 2; n <= 5; n++) {
    run->messages[0] = '\0';
    if (threads_run(n, run_process, run) != SOFA_OK)
      fail_msg("%s on %d: %s", name, n, run->messages);
    if (run->sliced != sliced) fail_msg("%s: %s", name, sliced ? "read whole" : "in slices");
  }
  sofa_simulation_destroy(&s);
  bench_close(b);
  free(b);
}

/* ---- files ---- */

static const FileWay ways[] = {
    {"2.2", 20, false, 8, 1, 1, 1, false, false},
    {"2.2, blocks", 20, false, 8, 1, 1, 7, true, false},
    {"2.2, other numbers", 20, false, 8, 5000, -3, 2, false, false},
    {"2.2, single precision", 20, true, 8, 0, 1, 1, false, true},
    {"4.1", 41, false, 8, 1, 1, 3, false, false},
    {"4.1, other numbers", 41, true, 8, INT64_C(1) << 40, 1000003, 5, true, false},
    {"4.1, of four bytes", 41, false, 4, 1, 1, 2, true, false},
    {"2.2, as many blocks as there is room for", 20, false, 8, 1, 1, 4, false, false},
};

static char folder[] = "/tmp/csofa-slices-XXXXXX";

static void write_file(Run *run, const FileWay *way) {
  SofaContext *ctx = NULL;
  SofaMesh mesh = {0};
  snprintf(run->path, sizeof run->path, "%s/mesh.msh", folder);
  snprintf(run->other_path, sizeof run->other_path, "%s/other.msh", folder);
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  assert_int_equal(sliced_make(ctx, true, &mesh), SOFA_OK);
  assert_true(write_binary_gmsh(run->path, way, &mesh));
  sofa_mesh_free(ctx, &mesh);
  sofa_context_destroy(&ctx);
}

static void gmsh(void **state) {
  static const char *const attributes[] = {
      "", "createSubelements='0'", "triangulate='1' flipNormals='1' rotation='10 20 30' scale='2'"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(ways); i++) {
    Run run = {.loader = "MeshGmshLoader", .attributes = attributes[i % SOFA_COUNT(attributes)]};
    write_file(&run, &ways[i]);
    compare(&run, ways[i].name, true);
  }
  /* without the points that no element has */
  for (size_t i = 0; i < 6; i += 5) {
    Run run = {.loader = "MeshGmshLoader",
               .attributes = "onlyAttachedPoints='1' triangulate='1' createSubelements='1'"};
    write_file(&run, &ways[i]);
    compare(&run, "onlyAttachedPoints", true);
  }
}

/* ---- VTU ---- */

static const VtuWay vtu_ways[] = {
    {"raw", false, 4, 8, 8, 0, 0, false, false, 0},
    {"raw, short numbers", false, 8, 4, 4, 0, 0, false, false, 0},
    {"raw, big-endian", true, 8, 8, 4, 0, 0, false, false, 0},
    {"blocks", false, 4, 8, 8, 1000, 0, false, false, 0},
    {"blocks, big-endian", true, 8, 4, 4, 777, 0, false, false, 0},
    {"a line of three points", false, 4, 8, 8, 0, 4, false, false, 0},
    {"a strip", false, 4, 8, 8, 0, 6, false, false, 0},
    {"a polygon", false, 4, 8, 8, 0, 7, false, false, 0},
    {"arrays", false, 4, 8, 8, 0, 0, true, false, 0},
    {"arrays in blocks", false, 4, 4, 8, 500, 0, true, false, 0},
    {"one block", false, 8, 8, 8, 1 << 14, 0, false, false, 0},
    {"base64", false, 4, 8, 8, 0, 0, false, true, 0},
    {"base64, short numbers", false, 8, 4, 4, 0, 0, false, true, 0},
    {"base64, blocks", false, 4, 8, 8, 1000, 0, false, true, 0},
    {"base64, blocks, big-endian", true, 8, 4, 4, 777, 0, false, true, 0},
    {"base64, arrays", false, 4, 8, 8, 0, 0, true, true, 0},
    {"base64, arrays in blocks", false, 8, 4, 8, 500, 0, true, true, 0}};

/* kinds: bits of those that stay. */
static void write_vtu_kinds(Run *run, const VtuWay *way, unsigned kinds) {
  SofaContext *ctx = NULL;
  SofaMesh mesh = {0};
  snprintf(run->path, sizeof run->path, "%s/mesh.vtu", folder);
  snprintf(run->other_path, sizeof run->other_path, "%s/other.vtu", folder);
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  assert_int_equal(sliced_make(ctx, true, &mesh), SOFA_OK);
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
    if (!(kinds & 1u << k)) ((SofaAnyList *)sofa_mesh_list(&mesh, (SofaElementKind)k))->n = 0;
  assert_true(write_vtu(run->path, way, &mesh));
  sofa_mesh_free(ctx, &mesh);
  sofa_context_destroy(&ctx);
}

static void write_vtu_file(Run *run, const VtuWay *way) {
  write_vtu_kinds(run, way, ~0u);
}

static void vtu(void **state) {
  static const char *const attributes[] = {"flipNormals='1'", "createSubelements='1'",
                                           "triangulate='1' translation='1 2 3'"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(vtu_ways); i++) {
    Run run = {.loader = "MeshVTKLoader", .attributes = attributes[i % SOFA_COUNT(attributes)]};
    write_vtu_file(&run, &vtu_ways[i]);
    run.arrays = vtu_ways[i].arrays;
    compare(&run, vtu_ways[i].name, true);
    if (!run.arrays) continue;
    /* tetrahedra alone have values of their own */
    write_vtu_kinds(&run, &vtu_ways[i], 1u << SOFA_ELEMENT_TETRA);
    run.cell_array = true;
    compare(&run, "an array of tetrahedra", true);
    run.attributes = "onlyAttachedPoints='1'";
    compare(&run, "an array of the points of tetrahedra", true);
  }
}

/* Lines of base64 are read whole. */
static void lines_of_base64(void **state) {
  static const VtuWay lines = {"lines of base64", false, 4, 8, 8, 0, 0, false, true, 76};
  Run run = {.loader = "MeshVTKLoader", .attributes = ""};
  (void)state;
  write_vtu_file(&run, &lines);
  compare(&run, lines.name, false);
}

#define ASIDE                                                                                      \
  "<Node name='aside'><StringMeshCreator name='other' resolution='3' translation='1 2 3' "         \
  "rotation='10 20 30' scale3d='2 3 4' createSubelements='1' onlyAttachedPoints='1'/></Node>"

/* Options that other objects give are known too late for a division: every process has the mesh. */
static void linked_options(void **state) {
  static const char *const options[] = {"translation", "rotation", "scale3d", "createSubelements",
                                        "onlyAttachedPoints"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(options); i++) {
    char attributes[100];
    Run run = {.loader = i % 2 ? "MeshVTKLoader" : "MeshGmshLoader",
               .attributes = attributes,
               .before = ASIDE,
               .undivided = true};
    snprintf(attributes, sizeof attributes, "%s='@aside/other.%s'", options[i], options[i]);
    if (i % 2) write_vtu_file(&run, &vtu_ways[0]);
    else write_file(&run, &ways[0]);
    compare(&run, options[i], false);
  }
}

/* ---- broken files ---- */

static char *take_file(const char *path, size_t *n) {
  FILE *in = fopen(path, "rb");
  char *bytes = malloc(1 << 20);
  assert_non_null(in);
  *n = fread(bytes, 1, 1 << 20, in);
  fclose(in);
  return bytes;
}

static void put_file(const char *path, const char *bytes, size_t n) {
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
}

/* The run on three processes fails, with this text in its message; process `other` alone has the
 * other file, -1: all have it. */
static void expect_failure(Run *run, int other, const char *text) {
  char path[100];
  run->other = other;
  run->whole = NULL;
  run->messages[0] = '\0';
  memcpy(path, run->path, sizeof path);
  if (other < 0) memcpy(run->path, run->other_path, sizeof path);
  if (threads_run(3, run_process, run) == SOFA_OK) fail_msg("no failure: %s", text);
  memcpy(run->path, path, sizeof path);
  if (!strstr(run->messages, text)) fail_msg("no '%s' in %s", text, run->messages);
  if (!strstr(run->messages, ".msh") && !strstr(run->messages, ".vtu") &&
      !strstr(text, "processes") && !strstr(text, "field"))
    fail_msg("no file in %s", run->messages);
}

/* The message tells in what the file ends. */
static void expect_end_within(Run *run, const char *bytes, size_t n, const char *what) {
  char text[80];
  snprintf(text, sizeof text, "the file ends within %s", what);
  put_file(run->other_path, bytes, n);
  expect_failure(run, -1, text);
}

static void broken_headers(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(ways); i++) {
    Run run = {.loader = "MeshGmshLoader", .attributes = ""};
    size_t n;
    write_file(&run, &ways[i]);
    char *bytes = take_file(run.path, &n);
    const char *section = memmem(bytes, n, "$Elements\n", 10);
    assert_non_null(section);
    const size_t at = (size_t)(section - bytes) + 10;
    if (ways[i].version == 20) {
      const char *count_end = memchr(bytes + at, '\n', n - at);
      expect_end_within(&run, bytes, (size_t)(count_end - bytes) + 1 + 5, "a block of elements");
    } else {
      expect_end_within(&run, bytes, at + 5, "a section's header");
    }
    remove(run.other_path);
    free(bytes);
  }
}

static void broken(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(ways); i++) {
    Run run = {.loader = "MeshGmshLoader", .attributes = ""};
    size_t n;
    write_file(&run, &ways[i]);
    char *bytes = take_file(run.path, &n);
    for (size_t cut = 60; cut < n - 1; cut += n / 23) { /* wherever it ends */
      put_file(run.other_path, bytes, cut);
      expect_failure(&run, -1, "error");
      expect_failure(&run, (int)(cut % 3), "different files");
    }
    bytes[n / 2] ^= 64;
    put_file(run.other_path, bytes, n);
    expect_failure(&run, 1, "different files");
    remove(run.other_path);
    expect_failure(&run, 2, "other.msh");
    free(bytes);
  }
}

static void broken_vtu(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(vtu_ways); i++) {
    Run run = {.loader = "MeshVTKLoader", .attributes = ""};
    size_t n;
    write_vtu_file(&run, &vtu_ways[i]);
    char *bytes = take_file(run.path, &n);
    const size_t head = (size_t)((char *)memmem(bytes, n, "\n_", 2) - bytes);
    for (size_t cut = head + 2; cut < n - 40; cut += n / 13) {
      put_file(run.other_path, bytes, cut);
      expect_failure(&run, -1, "error");
      /* where there are arrays, their heads are looked at before */
      expect_failure(&run, (int)(cut % 3), vtu_ways[i].arrays ? "other.vtu" : "different files");
    }
    free(bytes);
  }
}

/* Ends of cells and numbers of points that do not exist; of coordinates. */
static void wrong_vtu(void **state) {
  (void)state;
  static const char *const texts[] = {"names point -7, there are 219 points",
                                      "of a connectivity of", "of a connectivity of",
                                      "point 100 has a coordinate that is not a number"};
  for (size_t i = 0; i < SOFA_COUNT(texts); i++) {
    Run run = {.loader = "MeshVTKLoader", .attributes = ""};
    VtuPlaces at;
    size_t n;
    write_vtu_file(&run, &vtu_ways[0]);
    char *bytes = take_file(run.path, &n);
    find_vtu(bytes, n, &vtu_ways[0], &at);
    const int64_t wrong[] = {-7, 1 << 30, -1};
    const double none = strtod("nan", NULL);
    if (i == 0) memcpy(at.connectivity + 8 * 200, &wrong[0], 8);
    else if (i < 3)
      memcpy(at.offsets + 8 * (i == 1 ? at.n_cells / 3 - 1 : at.n_cells / 2), &wrong[i], 8);
    else memcpy(at.points + 24 * 100, &none, 8);
    put_file(run.other_path, bytes, n);
    expect_failure(&run, -1, texts[i]);
    free(bytes);
  }
}

/* A character that is none of base64, or fills up in front of the last group. */
static void wrong_base64(void **state) {
  static const char characters[] = {'*', '=', ' '};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(vtu_ways); i++)
    for (size_t k = 0; vtu_ways[i].base64 && k < sizeof characters; k++) {
      Run run = {.loader = "MeshVTKLoader", .attributes = ""};
      size_t n;
      write_vtu_file(&run, &vtu_ways[i]);
      char *bytes = take_file(run.path, &n);
      char *data = (char *)memmem(bytes, n, "\n_", 2) + 2;
      data[(bytes + n - data) / 3 / 4 * 4 + 1] = characters[k];
      put_file(run.other_path, bytes, n);
      expect_failure(&run, -1, "an array is not base64 without white space");
      free(bytes);
    }
}

/* The last array lacks more characters than stand behind the data, and less than a quarter. */
static void short_base64(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(vtu_ways); i++) {
    Run run = {.loader = "MeshVTKLoader", .attributes = ""};
    size_t n;
    if (!vtu_ways[i].base64 || vtu_ways[i].arrays || vtu_ways[i].block) continue;
    write_vtu_file(&run, &vtu_ways[i]);
    char *bytes = take_file(run.path, &n), *end = memmem(bytes, n, "\n</AppendedData>", 16);
    assert_non_null(end);
    const size_t tail = n - (size_t)(end - bytes), cut = 2 * tail;
    memmove(end - cut, end, tail);
    put_file(run.other_path, bytes, n - cut);
    expect_failure(&run, -1, "an array ends too early");
    free(bytes);
  }
}

/* The last block of the points is longer than the rest of the file, by one byte. */
static void long_block(void **state) {
  Run run = {.loader = "MeshVTKLoader", .attributes = ""};
  uint32_t head[3], size;
  size_t n, place = 0;
  (void)state;
  write_vtu_file(&run, &vtu_ways[3]);
  assert_string_equal(vtu_ways[3].name, "blocks");
  char *bytes = take_file(run.path, &n), *data = (char *)memmem(bytes, n, "\n_", 2) + 2;
  memcpy(head, data, sizeof head);
  char *sizes = data + sizeof head, *begin = sizes + head[0] * sizeof size;
  for (uint32_t i = 0; i + 1 < head[0]; i++, place += size)
    memcpy(&size, sizes + i * sizeof size, sizeof size);
  assert_true(place > 0);
  size = (uint32_t)((size_t)(bytes + n - begin) - place + 1);
  memcpy(begin - sizeof size, &size, sizeof size);
  put_file(run.other_path, bytes, n);
  expect_failure(&run, -1, "a compressed block ends too early");
  free(bytes);
}

/* Nothing says how the data are kept. */
static void vtu_without_head(void **state) {
  Run run = {.loader = "MeshVTKLoader", .attributes = ""};
  size_t n;
  (void)state;
  for (int arrays = 0; arrays < 2; arrays++) {
    write_vtu_file(&run, &vtu_ways[arrays ? 9 : 3]);
    char *bytes = take_file(run.path, &n);
    *((char *)memmem(bytes, n, "<VTKFile", 8) + 1) = 'X';
    put_file(run.other_path, bytes, n);
    expect_failure(&run, -1, "expected <VTKFile>");
    free(bytes);
  }
}

/* A packed file is read whole. */
static void pack(const char *path) {
  size_t n;
  char *bytes = take_file(path, &n);
  gzFile out = gzopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(gzwrite(out, bytes, (unsigned)n), (int)n);
  assert_int_equal(gzclose(out), Z_OK);
  free(bytes);
}

/* Whose values those of cells of several kinds would be is not known. */
static void array_of_several_kinds(void **state) {
  (void)state;
  for (int packed = 0; packed < 2; packed++) {
    Run run = {.loader = "MeshVTKLoader",
               .attributes = "",
               .after = "<SphereROI centers='0 0 0' radii='@loader.E' drawSphere='0'/>"};
    write_vtu_file(&run, &vtu_ways[9]);
    if (packed) pack(run.path);
    memcpy(run.other_path, run.path, sizeof run.path);
    expect_failure(&run, -1,
                   "field 'E' is not supported yet on a mesh that is divided among processes: the "
                   "file has cells of several kinds");
  }
}

/* Numbers that do not fit; the file is that of all processes. */
static void wrong_numbers(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const FileWay way = {"", 20, false, 8, k == 1 ? 4 : 1, k == 1 ? 2 : 1, 1, false, false};
    Run run = {.loader = "MeshGmshLoader", .attributes = ""};
    size_t n;
    write_file(&run, &way);
    char *bytes = take_file(run.path, &n);
    char *nodes = (char *)memmem(bytes, n, "$Nodes\n219\n", 11) + 11;
    char *elements = strchr((char *)memmem(bytes, n, "$Elements\n", 10) + 10, '\n') + 1;
    const int32_t far = 100000;
    const double none = strtod("nan", NULL);
    if (k < 2) memcpy(elements + 12 + 20 * 20 + 16, &far, 4);
    else if (k == 2) memcpy(nodes + 28 * 150 + 12, &none, 8);
    else memcpy(nodes + 28 * 150, nodes + 28 * 3, 4);
    put_file(run.other_path, bytes, n);
    expect_failure(&run, -1,
                   k < 2    ? "names node 100000, which the file does not have"
                   : k == 2 ? "node 151 has a coordinate that is not a number"
                            : "node 4 is given twice");
    free(bytes);
  }
}

/* More processes than elements. */
static void few_elements(void **state) {
  (void)state;
  SofaVec3 points[4] = {{{0}}, {{1}}, {{0, 1}}, {{0, 0, 1}}};
  SofaTetra tetra = {{0, 1, 2, 3}};
  SofaMesh mesh = {.position = {points, 4, 4}, .tetrahedra = {&tetra, 1, 1}};
  Run run = {.loader = "MeshGmshLoader", .attributes = ""};
  write_file(&run, &ways[0]);
  assert_true(write_binary_gmsh(run.other_path, &ways[0], &mesh));
  expect_failure(&run, -1, "has 1 volume elements: they cannot be divided among 3 processes");
}

static int setup(void **state) {
  *state = mkdtemp(folder);
  return *state ? 0 : 1;
}

static int teardown(void **state) {
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gmsh),
                                     cmocka_unit_test(vtu),
                                     cmocka_unit_test(lines_of_base64),
                                     cmocka_unit_test(wrong_base64),
                                     cmocka_unit_test(short_base64),
                                     cmocka_unit_test(long_block),
                                     cmocka_unit_test(broken),
                                     cmocka_unit_test(broken_headers),
                                     cmocka_unit_test(broken_vtu),
                                     cmocka_unit_test(wrong_vtu),
                                     cmocka_unit_test(wrong_numbers),
                                     cmocka_unit_test(few_elements),
                                     cmocka_unit_test(linked_options),
                                     cmocka_unit_test(array_of_several_kinds),
                                     cmocka_unit_test(vtu_without_head)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
