/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traversal: order on graphs with shared nodes, pruning, stopping, events, nested visits. */
#include "object_test.h"

typedef struct Trace {
  char text[256];
  const char *prune, *stop; /* names of nodes */
} Trace;

static void note(Trace *t, char sign, const SofaNode *node) {
  const size_t n = strlen(t->text);
  snprintf(t->text + n, sizeof t->text - n, "%c%s ", sign, node->object.name);
}

static SofaVisit down(SofaNode *node, void *user) {
  Trace *t = user;
  note(t, '+', node);
  if (t->stop && strcmp(node->object.name, t->stop) == 0) return SOFA_STOP;
  return t->prune && strstr(t->prune, node->object.name) ? SOFA_PRUNE : SOFA_CONTINUE;
}

static void up(SofaNode *node, void *user) {
  note(user, '-', node);
}

/* r { a { c, d }, b { d, e { c } } }: c below a and e, d below a and b */
typedef struct Dag {
  Bench bench;
  SofaNode *a, *b, *c, *d, *e;
} Dag;

static void dag_open(Dag *g) {
  bench_open(&g->bench);
  SofaNode *r = g->bench.root;
  assert_int_equal(sofa_object_set_name(&r->object, "r"), SOFA_OK);
  g->a = add_node(r, "a");
  g->b = add_node(r, "b");
  g->c = add_node(g->a, "c");
  g->d = add_node(g->a, "d");
  assert_int_equal(sofa_node_add_parent(g->d, g->b), SOFA_OK);
  g->e = add_node(g->b, "e");
  assert_int_equal(sofa_node_add_parent(g->c, g->e), SOFA_OK);
}

static void expect(SofaNode *start, const char *prune, const char *stop, bool inactive_too,
                   const char *text) {
  Trace t = {.prune = prune, .stop = stop};
  const SofaVisitor visitor = {down, up, &t, inactive_too};
  assert_int_equal(sofa_visit(start, &visitor), SOFA_OK);
  assert_string_equal(t.text, text);
}

static void order(void **state) {
  (void)state;
  Dag g;
  dag_open(&g);
  SofaNode *r = g.bench.root;
  // shared nodes come after the last of their parents
  expect(r, NULL, NULL, false, "+r +a +b +d +e +c -c -e -d -b -a -r ");
  // parents that are not below the start do not count
  expect(g.a, NULL, NULL, false, "+a +c +d -d -c -a ");
  SofaNodes list = {0};
  assert_int_equal(sofa_node_order(r, &list), SOFA_OK);
  assert_int_equal(list.n, 6);
  assert_ptr_equal(list.data[5], g.c);
  sofa_list_free(g.bench.ctx, &list);
  bench_close(&g.bench);
}

static void pruning(void **state) {
  (void)state;
  Dag g;
  dag_open(&g);
  SofaNode *r = g.bench.root;
  // a node is left out only when all its parents prune; the pruning node itself gets its way up
  expect(r, "a", NULL, false, "+r +a +b +d +e +c -c -e -d -b -a -r ");
  expect(r, "b", NULL, false, "+r +a +b +d +c -c -d -b -a -r ");
  expect(r, "a b", NULL, false, "+r +a +b -b -a -r ");
  expect(r, "a e", NULL, false, "+r +a +b +d +e -e -d -b -a -r ");
  expect(r, NULL, "b", false, "+r +a +b -b -a -r ");
  // inactive nodes are as good as pruned
  g.b->activated = false;
  expect(r, NULL, NULL, false, "+r +a +d +c -c -d -a -r ");
  expect(r, NULL, NULL, true, "+r +a +b +d +e +c -c -e -d -b -a -r ");
  r->activated = false;
  expect(r, NULL, NULL, false, "");
  bench_close(&g.bench);
}

static SofaVisit visit_again(SofaNode *node, void *user) {
  Trace inner = {0};
  const SofaVisitor visitor = {down, NULL, &inner, false};
  assert_int_equal(sofa_visit(node, &visitor), SOFA_OK);
  *(size_t *)user += strlen(inner.text);
  return SOFA_CONTINUE;
}

static void nested(void **state) {
  (void)state;
  Dag g;
  dag_open(&g);
  size_t total = 0;
  const SofaVisitor visitor = {visit_again, NULL, &total, false};
  assert_int_equal(sofa_visit(g.bench.root, &visitor), SOFA_OK);
  assert_int_equal(total, 3 * (6 + 3 + 4 + 1 + 2 + 1));
  // warm scratch memory: no allocation
  const long calls = g.bench.calls;
  assert_int_equal(sofa_visit(g.bench.root, &visitor), SOFA_OK);
  assert_int_equal(g.bench.calls, calls);
  bench_close(&g.bench);
}

/* ---- events ---- */

typedef struct Listener {
  SofaObject object;
  double count;
} Listener;

static SofaErr listener_event(SofaObject *object, const SofaEvent *event) {
  if (event->type == SOFA_EVENT_KEY_PRESSED) return SOFA_ERR_ARGUMENT;
  ((Listener *)object)->count += event->dt;
  return SOFA_OK;
}

static const SofaClass listener_class = {.name = "Listener",
                                         .help = "Counts.",
                                         .base = &sofa_object_class,
                                         .size = sizeof(Listener),
                                         .handle_event = listener_event};

static void events(void **state) {
  (void)state;
  Dag g;
  dag_open(&g);
  Listener *deaf = (Listener *)add(g.a, &listener_class, "deaf");
  Listener *hears = (Listener *)add(g.c, &listener_class, "hears");
  Listener *bad = (Listener *)add(g.c, &listener_class, "bad");
  assert_int_equal(set(hears, "listening", "1"), SOFA_OK);
  assert_int_equal(set(bad, "listening", "1"), SOFA_OK);
  assert_int_equal(set(bad, "componentState", "Invalid"), SOFA_OK);
  const SofaEvent step = {.type = SOFA_EVENT_ANIMATE_BEGIN, .dt = 2},
                  key = {.type = SOFA_EVENT_KEY_PRESSED, .key = 'a'};
  assert_int_equal(sofa_send_event(g.bench.root, &step), SOFA_OK);
  assert_true(hears->count == 2 && deaf->count == 0 && bad->count == 0);
  assert_int_equal(sofa_send_event(g.bench.root, &key), SOFA_ERR_ARGUMENT);
  bench_close(&g.bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order),
      cmocka_unit_test(pruning),
      cmocka_unit_test(nested),
      cmocka_unit_test(events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
