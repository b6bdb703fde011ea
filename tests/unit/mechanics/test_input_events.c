/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InputEventReader: recorded events become events of the simulation. */
#include "tests/support/scene_run.h"

#include <fcntl.h>
#include <linux/input.h>
#include <unistd.h>

#include "object/event.h"
#include "base/abi.h"
#include "object/factory.h"

/* Writes down what it hears. */
typedef struct Listener {
  SofaObject object;
  char heard[200];
  size_t n;
} Listener;

static SofaErr hear(SofaObject *object, const SofaEvent *event) {
  Listener *l = (Listener *)object;
  const size_t room = sizeof l->heard - l->n;
  int n = 0;
  if (event->type == SOFA_EVENT_ANIMATE_END) n = snprintf(l->heard + l->n, room, "|");
  if (event->type == SOFA_EVENT_KEY_PRESSED) n = snprintf(l->heard + l->n, room, "+%c", event->key);
  if (event->type == SOFA_EVENT_KEY_RELEASED)
    n = snprintf(l->heard + l->n, room, "-%c", event->key);
  if (event->type == SOFA_EVENT_MOUSE_MOVED)
    n = snprintf(l->heard + l->n, room, "(%d,%d)", event->dx, event->dy);
  l->n += (size_t)n;
  return SOFA_OK;
}

static const SofaClass listener_class = {.name = "Listener",
                                         .module = "csofa",
                                         .category = "Test",
                                         .help = "Writes down what it hears.",
                                         .base = &sofa_object_class,
                                         .size = sizeof(Listener),
                                         .listening = true,
                                         .handle_event = hear};

/* How many descriptors of files are open. */
static int n_open(void) {
  int n = 0;
  for (int k = 0; k < 256; k++) n += fcntl(k, F_GETFD) >= 0;
  return n;
}

/* Runs the reader with these attributes, and resets it before some step (-1: never); *heard NULL:
 * an error is expected. */
static void run_and_reset(const char *attributes, int steps, int reset, const char *heard,
                          const char *words) {
  static const SofaClass *const classes[] = {&listener_class, NULL};
  static const SofaModule module = {
      .abi = SOFA_ABI, .name = "listener", .version = "1", .classes = classes};
  char scene[600];
  SceneRun run = {.quiet = true};
  const int n_before = n_open();
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(sofa_factory_register(run.ctx, &module), SOFA_OK);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<InputEventReader %s/><Listener name='l'/></Node>",
           attributes);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  SofaErr err = sofa_simulation_init(run.simulation);
  for (int i = 0; i < steps && err == SOFA_OK; i++) {
    if (i == reset) assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    err = sofa_simulation_step(run.simulation, 0);
  }
  if (heard) {
    assert_int_equal(err, SOFA_OK);
    assert_string_equal(((Listener *)scene_run_object(&run, "/l"))->heard, heard);
  } else {
    assert_int_not_equal(err, SOFA_OK);
    if (!strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  }
  scene_run_close(&run);
  assert_int_equal(n_open(), n_before);
}

static void run_reader(const char *attributes, int steps, const char *heard, const char *words) {
  run_and_reset(attributes, steps, -1, heard, words);
}

#define SESSION "outputFilename='scenes/playback/events.txt'"

static void recorded_events_are_sent(void **state) {
  (void)state;
  run_reader(SESSION, 5, "(3,-4)|+0||-0||", NULL);
  run_reader(SESSION " inverseSense='1' key1='l'", 5, "(-3,4)|+l||-l||", NULL);
}

/* A reset begins again, with no pedal pressed. */
static void a_reset_begins_again(void **state) {
  static const char *const heard[] = {"(3,-4)|+0||-0||", "(3,-4)|(3,-4)|+0||-0|",
                                      "(3,-4)|+0|(3,-4)|+0||", "(3,-4)|+0||(3,-4)|+0|"};
  (void)state;
  for (int reset = 0; reset < 4; reset++) run_and_reset(SESSION, 5, reset, heard[reset], NULL);
}

/* A plain file stands for the device. */
static void device_is_read_and_recorded(void **state) {
  char device[64], record[64], attributes[300], text[100] = "";
  struct input_event events[2] = {{.type = EV_REL, .code = REL_X, .value = 7},
                                  {.type = EV_ABS, .code = ABS_Y, .value = 20}};
  (void)state;
  snprintf(device, sizeof device, "/tmp/csofa_device_%ld", (long)getpid());
  snprintf(record, sizeof record, "/tmp/csofa_record_%ld", (long)getpid());
  FILE *file = fopen(device, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(events, sizeof *events, 2, file), 2);
  fclose(file);
  snprintf(attributes, sizeof attributes, "filename='%s' writeEvents='1' outputFilename='%s'",
           device, record);
  run_reader(attributes, 2, "(7,0)+1||", NULL);
  file = fopen(record, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text, "2 0 7 3 1 20 \n\n");
  // the record is what another run reads
  snprintf(attributes, sizeof attributes, "outputFilename='%s'", record);
  run_reader(attributes, 2, "(7,0)+1||", NULL);
  remove(device);
  remove(record);
}

/* Lines of a record, one per step. */
static void lines_are_heard(const char *text, const char *attributes, int steps,
                            const char *expected, const char *words) {
  char path[64], all[300];
  snprintf(path, sizeof path, "/tmp/csofa_lines_%ld", (long)getpid());
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  snprintf(all, sizeof all, "outputFilename='%s' %s", path, attributes);
  run_reader(all, steps, expected, words);
  remove(path);
}

/* A pedal is pressed above 156 and below 100; only the second axis is one, only the first two of a
 * mouse are movements; those of a step are added. */
static void limits_of_events(void **state) {
  (void)state;
  lines_are_heard("3 1 156\n3 1 157\n3 1 156\n3 1 100\n3 1 99\n3 1 100\n", "", 7, "|+0|-0||+1|-1||",
                  NULL);
  lines_are_heard("3 1 157\n3 1 99\n3 1 157\n", "key1='a' key2='b'", 4, "+a|-a+b|-b+a||", NULL);
  lines_are_heard("3 0 200\n1 1 200\n2 2 5\n3 2 20\n0 0 0\n", "", 5, "|||||", NULL);
  lines_are_heard("2 0 5\n2 1 5\n2 0 -5 2 0 5\n2 0 1 2 0 2 2 1 4\n", "", 5, "(5,0)|(0,5)||(3,4)||",
                  NULL);
  lines_are_heard("2 0 5\n2 1 5\n", "inverseSense='1'", 3, "(-5,0)|(0,-5)||", NULL);
  lines_are_heard("3 1 200\n", "inverseSense='1'", 2, "+0||", NULL);
  lines_are_heard("2 0 2147483647\n2 1 -2147483648", "", 3, "(2147483647,0)|(0,-2147483648)||",
                  NULL);
  lines_are_heard("2 0 2147483647 2 0 1\n2 1 -2147483647 2 1 -1 2 1 -1", "", 3,
                  "(2147483647,0)|(0,-2147483648)||", NULL);
  lines_are_heard("2 0 -2147483648\n2 1 -2147483647", "inverseSense='1'", 3,
                  "(2147483647,0)|(0,2147483647)||", NULL);
  lines_are_heard("\n\t \r\n2 0 1", "", 4, "||(1,0)||", NULL);
}

static void broken_lines(void **state) {
  static const char *const lines[] = {"2",
                                      "2 0",
                                      "2 0\n1",
                                      "2 0 1 2\n",
                                      "2 0 x",
                                      "2 0 2147483648",
                                      "2 0 -2147483649",
                                      "2147483648 0 1",
                                      "2 -2147483649 1",
                                      "2 0 1.5"};
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    lines_are_heard(lines[i], "", 1, NULL, "a line is not type, code, value of each event");
}

/* A record of the device that is cut is left out. */
static void device_that_is_cut(void **state) {
  struct input_event events[3] = {{.type = EV_REL, .code = REL_Y, .value = 2},
                                  {.type = EV_ABS, .code = ABS_Y, .value = 157},
                                  {.type = EV_REL, .code = REL_X, .value = 7}};
  char device[64], attributes[300];
  (void)state;
  snprintf(device, sizeof device, "/tmp/csofa_device_%ld", (long)getpid());
  FILE *file = fopen(device, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(events, sizeof events - 1, 1, file), 1);
  fclose(file);
  snprintf(attributes, sizeof attributes, "filename='%s'", device);
  run_reader(attributes, 2, "(0,2)+0||", NULL);
  snprintf(attributes, sizeof attributes, "filename='%s' inverseSense='1' key1=''", device);
  run_reader(attributes, 0, NULL, "'' is not one character");
  remove(device);
}

static void wrong_values_are_refused(void **state) {
  (void)state;
  run_reader("outputFilename='no.txt'", 0, NULL, "no file 'no.txt'");
  run_reader("outputFilename='scenes/io/net.xsp'", 1, NULL, "unreadable text");
  run_reader("filename='/no/device'", 0, NULL, "cannot open the device '/no/device'");
  run_reader("writeEvents='1'", 0, NULL, "needs a file");
  run_reader(SESSION " key2='ab'", 0, NULL, "'ab' is not one character");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recorded_events_are_sent), cmocka_unit_test(device_is_read_and_recorded),
      cmocka_unit_test(limits_of_events),         cmocka_unit_test(broken_lines),
      cmocka_unit_test(device_that_is_cut),       cmocka_unit_test(a_reset_begins_again),
      cmocka_unit_test(wrong_values_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
