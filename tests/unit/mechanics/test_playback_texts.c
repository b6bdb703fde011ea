/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded states, topologies and events, whole, cut at each of their bytes and with each of their
 * bytes replaced by others: what the steps make of them is that of playback_texts.txt. What changes
 * on purpose is recorded again: CSOFA_RECORD=FILE writes what was found. */
#include "tests/support/scene_run.h"
#include "tests/support/trace.h"

#include <math.h>
#include <unistd.h>

#include "topology/topology.h"

enum { STEPS = 4, MOST_DUMP = 6000, HASH_BEGIN = 0x811c9dc5 };

typedef struct Record {
  const char *objects; /* %s: the file */
  const char *text;
} Record;

#define STATE "<MechanicalObject name='state' position='0 0 0 1 1 1'/>"
#define FRAMES "<MechanicalObject name='state' template='Rigid3' position='0 0 0 0 0 0 1'/>"
#define FACES                                                                                      \
  "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 " \
  "1 3 2'/><TriangleSetTopologyModifier/><MechanicalObject name='state'/>"

static const Record records[] = {
    {STATE "<ReadState filename='%s'/>",
     "# a\nT= 0\n  X= 1 2 3 4 5 6\n  V= 1 0 0 0 1 0\nT= 0.1\n  X0= 9 9 9 9 9 9\n\tX= 2 3 4 5 6 "
     "7\r\n"
     "T= 0.2\n  V= 0 0 2 0 0 3\n  F= 0 0 0 0 0 0\nT= 0.3\n\nX= 7 7 7 8 8 8\n"},
    {STATE "<ReadState filename='%s' loop='1' scalePos='2' translation='1 0 -1' "
           "rotation='0 0 90' shift='0.05'/>",
     "T= 0\n X= 1 2 3 4 5 6\nT= 0.1\n X= 2 3 4 5 6 7\n V= 1 2 3 4 5 6\nT= 0.2\n"},
    {FRAMES "<ReadState filename='%s' rotation='0 90 0' interval='0.2'/>",
     "T= 0\n X= 1 2 3 0 0 0 1\nT= 0.1\n V= 1 2 3 4 5 6\nT= 0.2\n X= 1 0 0 1 0 0 0\n"},
    {STATE "<CompareState name='compare' printLog='1' filename='%s'/>",
     "T= 0\n X= 0 0 0 1 1 1\n V= 0 0 0 0 0 0\nT= 0.1\n X= 0 0 0.5 1 1 1\n"},
    {FACES "<ReadTopology filename='%s'/>",
     "# b\nT= 0\n  Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Removed Triangles= 1\n1\n Added Triangles= "
     "1\n3 0 1\n Parts= 1\n0\n Triangles= 2\n0 1 2 3 0 1\nT= 0.2\n Edges= 5\n0 1 1 2 0 2 0 3 1 3\n"
     " Triangles= 2\n0 1 2 3 0 1\n Quads= 0\n\nT= 0.3\n Added Points= 1\n1 1 1\n Triangles= 1\n0 1 "
     "2\n"},
    {FACES "<ReadTopology filename='%s' loop='1' shift='0.1' interval='0.15'/>",
     "T= 0\n Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Triangles= 1\n0 1 2\nT= 0.2\n"},
    {FACES "<CompareTopology name='compare' printLog='1' filename='%s'/>",
     "T= 0\n Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Triangles= 2\n0 1 2 1 3 0\nT= 0.2\n Edges= 1\n0 "
     "1\n"},
    {FACES "<ReadTopology filename='%s'/>",
     "T= 0\n Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Added Points= 2\n2 0 0.5 3 0.5 1 1 1\n Removed "
     "Triangles= 1\n0\n Added Triangles= 2\n1 3 4 0 1 5\n Parts= 2\n0 0\n Triangles= 3\n1 3 2 1 3 "
     "4 "
     "0 1 5\nT= 0.2\n Removed Triangles= 2\n1 2\n Removed Points= 1\n5\n Triangles= 1\n1 3 2\n"},
    {FACES "<ReadTopology filename='%s'/>",
     "T= 0\n Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Added Points= 1\n1 4 1\n"},
    {FACES "<ReadTopology filename='%s'/>",
     "T= 0\n Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Triangles= 2\n0 1 2 1 3 -1\n"},
    {FACES "<ReadTopology filename='%s'/>",
     "T= 0\n Triangles= 2\n0 1 2 1 3 2\nT= 0.1\n Triangles= 2\n0 1 2 1 3 4294967295\n"},
    {FACES "<CompareTopology name='compare' printLog='1' interval='0.1' shift='0.05' "
           "filename='%s'/>",
     "# csofa recording\nT= 0\n Edges= 6\n0 1 1 2 0 2 1 3 2 3 0 3\n Triangles= 1\n0 1 2\n Quads= "
     "0\n\n Tetrahedra= 1\n0 1 2 3\n# end\n"},
    {STATE "<ReadState filename='%s' loop='1' interval='0.1'/>",
     "# csofa recording\nT= 0\n  X= 1 2 3 4 5 6\nT= 0.05\n X= 2 2 2 3 3 3\nT= 0.15\n X= 9 8 7 6 5 "
     "4\n# "
     "end\n"},
    {"<MechanicalObject name='state' position='0 0 0'/><InputEventReader outputFilename='%s'/>",
     "2 0 7 3 1 20 \n\n3 1 200\t2 1 -4\r\n"},
};

typedef struct Player {
  SofaContext *ctx;
  FenceAllocator fences;
  SofaSimulation *simulation;
  char path[40], dump[MOST_DUMP];
  size_t n;
} Player;

static void __attribute__((format(printf, 2, 3))) add(Player *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  p->n += (size_t)vsnprintf(p->dump + p->n, sizeof p->dump - p->n, format, list);
  va_end(list);
  if (p->n >= sizeof p->dump) p->n = sizeof p->dump - 1; // the rest is not looked at
}

/* Warnings, errors, and what objects with printLog say; without the name of the file. */
static void sink(void *user, const SofaMessage *m) {
  Player *p = user;
  const bool said = m->origin.path && strncmp(m->origin.path, "/compare", 8) == 0;
  if (m->severity < (said ? SOFA_INFO : SOFA_WARNING)) return;
  const char *found = strstr(m->text, p->path);
  const int before = found ? (int)(found - m->text) : (int)strlen(m->text);
  add(p, " | %d %s: %.*s%s", m->origin.line, sofa_severity_text(m->severity), before, m->text,
      found ? found + strlen(p->path) : "");
}

static void add_numbers(Player *p, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) add(p, " %.6g", fabs(x[i]) < 1e-9 ? 0 : x[i]);
  add(p, ",");
}

static void add_state(Player *p) {
  const SofaState *s = sofa_node_state(p->simulation->root);
  SofaTopology *t = sofa_node_topology(p->simulation->root);
  add_numbers(p, s->position.data, s->position.n * s->position.width);
  add_numbers(p, s->velocity.data, s->velocity.n * s->velocity.width);
  for (size_t i = 0; t && i < 3 * t->mesh.triangles.n; i++)
    add(p, "%s%u", i % 3 ? " " : ", ", t->mesh.triangles.data[i / 3].v[i % 3]);
  if (t) add(p, ", %zu edges", t->mesh.edges.n);
  add(p, ";");
}

static void play(Player *p, const Record *r, const char *text, size_t n) {
  char objects[600], scene[900];
  FILE *file = fopen(p->path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, n, file), n);
  fclose(file);
  snprintf(objects, sizeof objects, r->objects, p->path);
  snprintf(scene, sizeof scene,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>",
           objects);
  p->n = 0;
  p->dump[0] = '\0';
  SofaErr err = sofa_simulation_load_text(p->ctx, scene, &p->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(p->simulation);
  for (int step = 0; step < STEPS && err == SOFA_OK; step++) {
    add_state(p);
    err = sofa_simulation_step(p->simulation, 0);
  }
  if (err == SOFA_OK) add_state(p);
  // once more from the beginning
  if (err == SOFA_OK) err = sofa_simulation_reset(p->simulation);
  for (int step = 0; step < 2 && err == SOFA_OK; step++) {
    err = sofa_simulation_step(p->simulation, 0);
    if (err == SOFA_OK) add_state(p);
  }
  sofa_simulation_destroy(&p->simulation);
}

/* Fowler, Noll and Vo, 1991. */
static uint32_t add_to_hash(uint32_t hash, const char *text) {
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619U;
  return (hash ^ '\n') * 16777619U;
}

static void add_record(Trace *t, Player *p, const Record *r) {
  char text[1000];
  const size_t n = strlen(r->text);
  uint32_t cut = HASH_BEGIN, changed = HASH_BEGIN;
  strcpy(text, r->text);
  play(p, r, text, n);
  trace_add(t, "%s\n", p->dump);
  for (size_t i = 0; i < n; i++) {
    play(p, r, text, i);
    cut = add_to_hash(cut, p->dump);
    for (const char *other = " \n7x"; *other; other++) {
      text[i] = *other;
      play(p, r, text, n);
      changed = add_to_hash(changed, p->dump);
    }
    text[i] = r->text[i];
  }
  trace_add(t, "  cut %08x changed %08x\n", cut, changed);
}

static void as_recorded(void **state) {
  static char found[80000];
  static Player p = {.path = "/tmp/csofa-record-XXXXXX"};
  Trace t = {found, 0, sizeof found};
  const int file = mkstemp(p.path);
  const SofaContextOptions options = {
      .sink = sink, .sink_user = &p, .allocate = fence_allocate, .allocate_user = &p.fences};
  (void)state;
  assert_int_equal(sofa_context_create(&options, &p.ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(p.ctx), SOFA_OK);
  assert_true(file >= 0);
  close(file);
  trace_add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t i = 0; i < SOFA_COUNT(records); i++) add_record(&t, &p, &records[i]);
  unlink(p.path);
  sofa_context_destroy(&p.ctx);
  assert_int_equal(p.fences.live, 0);
  trace_check(&t, "tests/unit/mechanics/playback_texts.txt");
}

static void initialise_last(SceneRun *run) {
  const SofaObjects *objects = &run->simulation->root->objects;
  SofaObject *object = objects->data[objects->n - 1];
  const SofaClass *k = object->klass;
  while (k && !k->init) k = k->base;
  assert_non_null(k);
  assert_true(k->init(object) != SOFA_OK);
}

/* An object that is initialised again when its file is gone reads nothing more. */
static void files_that_go(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(records); i++) {
    char path[] = "/tmp/csofa-record-XXXXXX", objects[1000], scene[1500];
    SceneRun run = {.quiet = true};
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, records[i].text, strlen(records[i].text)),
                     strlen(records[i].text));
    close(file);
    snprintf(objects, sizeof objects, records[i].objects, path);
    snprintf(scene, sizeof scene,
             "<Node dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>", objects);
    scene_run_context(&run, &(SofaContextOptions){.keep_going = true});
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    scene_run_steps(&run, 1);
    unlink(path);
    initialise_last(&run);
    for (int step = 0; step < 3; step++) (void)sofa_simulation_step(run.simulation, 0);
    (void)sofa_simulation_reset(run.simulation);
    (void)sofa_simulation_step(run.simulation, 0);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded),
                                     cmocka_unit_test(files_that_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
