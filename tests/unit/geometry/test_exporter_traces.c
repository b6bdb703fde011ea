/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every exporter with each of its attributes: the names of the files and all that is in them are
 * those of exporter_traces.txt. A trace that changes on purpose is recorded again:
 * CSOFA_RECORD=FILE writes what was found. Other tests say by the formats that the files are right.
 */
#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "tests/support/scene_run.h"
#include "tests/support/trace.h"

enum { MOST_TEXT = 1000000, MOST_FILES = 100, N_STEPS = 5 };

#define ALL                                                                                        \
  "edges='0 4' triangles='0 1 2 1 2 3' quads='0 1 4 2' tetrahedra='0 1 2 3 1 2 3 4' "              \
  "hexahedra='0 1 2 3 4 5 6 7'"
/* %s: the exporter, in the node of the state or of the visual models */
static const char scene[] =
    "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
    "<Node name='b'><EulerExplicitSolver/><MeshTopology name='mesh' " ALL "/>"
    "<MechanicalObject name='state' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' "
    "velocity='0 0 0 0 0 0 0 0 0 0 0 0 2 0 -1 0 0 0 0 3 0 0 0 0'/><UniformMass totalMass='1'/>%s"
    "<Node name='v'><OglModel name='first' color='red' position='0 0 0 1 0 0 0 1 0 0 0 1' "
    "texcoords='0 0 1 0 0 1 1 1' triangles='0 1 2' quads='0 1 3 2'/><OglModel name='second' "
    "position='0 0 2 1 0 2 0 1 2' triangles='0 1 2'/>%s</Node></Node></Node>";

static const char *const exporters[] = {
    "<MeshExporter filename='f' format='ALL' exportAtBegin='1'/>",
    "<MeshExporter filename='f' format='ALL' exportAtBegin='1' edges='0' triangles='0'/>",
    "<MeshExporter filename='f' format='ALL' exportAtBegin='1' quads='0' tetras='0'/>",
    "<MeshExporter filename='f' format='ALL' exportAtBegin='1' hexas='0'/>",
    "<MeshExporter filename='f' format='gmsh' exportEveryNumberOfSteps='2'/>",
    "<MeshExporter filename='f.obj' format='obj' exportEveryNumberOfSteps='3' exportAtBegin='1'/>",
    "<MeshExporter filename='f' format='obj' exportAtBegin='1' position='@state.position'/>",
    "<MeshExporter filename='f' format='netgen' exportAtBegin='1' enable='0'/>",
    "<STLExporter filename='f' exportAtBegin='1' binaryformat='0'/>",
    "<STLExporter filename='f.stl' exportEveryNumberOfSteps='2'/>",
    "<STLExporter filename='f' exportAtBegin='1' binaryformat='0' position='@state.position' "
    "triangle='0 1 6'/>",
    "<STLExporter filename='f' exportAtBegin='1' binaryformat='0' position='@state.position' "
    "quad='0 1 6 3'/>",
    "<VTKExporter filename='f' exportAtBegin='1' encoding='ascii'/>",
    "<VTKExporter filename='f' exportAtBegin='1' encoding='ascii' edges='0' triangles='1' "
    "quads='1' tetras='1' hexas='1' pointsDataFields='state.velocity'/>",
    "<VTKExporter filename='f' exportAtBegin='1' XMLformat='0' tetras='1' "
    "pointsDataFields='state.velocity state.force'/>",
    "<VTKExporter filename='f' exportEveryNumberOfSteps='2' XMLformat='0' hexas='1'/>",
    "<VTKExporter filename='f' exportEveryNumberOfSteps='2' overwrite='1' XMLformat='0'/>",
    "<VTKExporter filename='f' exportEveryNumberOfSteps='2' encoding='ascii' "
    "position='@mesh.position' triangles='1'/>",
    "<VTKExporter filename='f' exportAtBegin='1' XMLformat='0' "
    "pointsDataFields='/b/state.velocity speed=/b/state.velocity @/b/state.force'/>",
    "<VTKExporter filename='f' exportAtBegin='1' XMLformat='0' "
    "cellsDataFields='/b/state.position'/>",
    "<VTKExporter filename='f' exportAtBegin='1' pointsDataFields='state'/>",
    "<VTKExporter filename='f' exportAtBegin='1' pointsDataFields='.velocity'/>",
    "<VTKExporter filename='f' exportAtBegin='1' pointsDataFields='/nobody.velocity'/>",
    "<VTKExporter filename='f' exportAtBegin='1' pointsDataFields='/b/state.nothing'/>",
    "<VTKExporter filename='f' exportAtBegin='1' pointsDataFields='/b/mesh.edges'/>",
    "<MeshExporter name='m' filename='present' format='obj' exportAtBegin='1'/>",
    "<MeshExporter name='m' filename='place' format='obj' exportAtBegin='1'/>",
    "<MeshExporter name='m' format='obj' exportAtBegin='1'/>",
    "<VisualModelOBJExporter filename='f' exportAtBegin='1'/>",
    "<VisualModelOBJExporter filename='f.obj' exportEveryNumberOfSteps='2'/>",
    "<BlenderExporter baseName='f' step='1'/>",
    "<BlenderExporter baseName='f' step='3' simulationType='1'/>",
    "<BlenderExporter baseName='f' step='2' simulationType='2'/>",
    "<BlenderExporter baseName='f' step='4' simulationType='3' nbPtsByHair='4'/>",
};

static int by_name(const void *a, const void *b) {
  return strcmp(a, b);
}

/* Text as it is, other bytes in two digits. */
static void add_file(Trace *t, SofaContext *ctx, const char *name) {
  char *bytes = NULL;
  size_t n = 0;
  assert_int_equal(sofa_read_file(ctx, name, 0, &bytes, &n), SOFA_OK);
  trace_add(t, " file %s, %zu bytes\n  ", name, n);
  for (size_t i = 0; i < n; i++) {
    const unsigned char c = (unsigned char)bytes[i];
    if (c == '\n') trace_add(t, "\n  ");
    else if (c < 128 && isprint(c)) trace_add(t, "%c", c);
    else trace_add(t, "\\%02x", c);
  }
  trace_add(t, "\n");
  sofa_free(ctx, bytes);
  unlink(name);
}

static void add_files(Trace *t, SofaContext *ctx) {
  char names[MOST_FILES][256];
  size_t n = 0;
  DIR *folder = opendir(".");
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) && n < MOST_FILES;)
    if (entry->d_name[0] != '.' && strcmp(entry->d_name, "place") != 0)
      snprintf(names[n++], sizeof *names, "%.255s", entry->d_name);
  closedir(folder);
  qsort(names, n, sizeof *names, by_name);
  for (size_t i = 0; i < n; i++) add_file(t, ctx, names[i]);
}

static void sink(void *user, const SofaMessage *message) {
  if (message->severity >= SOFA_WARNING)
    trace_add(user, " %s: %s\n", sofa_severity_text(message->severity), message->text);
}

static void trace(Trace *t, const char *exporter, bool visual) {
  char text[3000];
  SceneRun run = {.quiet = true};
  snprintf(text, sizeof text, scene, visual ? "" : exporter, visual ? exporter : "");
  FILE *present = fopen("present", "w"); // a file and a folder that are there already
  assert_non_null(present);
  fclose(present);
  assert_int_equal(mkdir("place", 0700), 0);
  scene_run_context(&run, NULL);
  run.ctx->sink = sink;
  run.ctx->sink_user = t;
  trace_add(t, "%s%s\n", exporter, visual ? " of visual models" : "");
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err != SOFA_OK) trace_add(t, " %s\n", sofa_err_text(err));
  for (int i = 0; i < N_STEPS && err == SOFA_OK; i++) {
    err = sofa_simulation_step(run.simulation, 0);
    if (err != SOFA_OK) trace_add(t, " step: %s\n", sofa_err_text(err));
  }
  run.ctx->sink = scene_run_sink;
  run.ctx->sink_user = &run;
  add_files(t, run.ctx);
  assert_int_equal(chdir("place"), 0);
  add_files(t, run.ctx);
  assert_int_equal(chdir(".."), 0);
  assert_int_equal(rmdir("place"), 0);
  scene_run_close(&run);
}

static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  Trace t = {.text = found, .most = sizeof found};
  char folder[] = "/tmp/csofa-exporters-XXXXXX", before[400];
  (void)state;
  assert_non_null(getcwd(before, sizeof before));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  trace_add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t i = 0; i < SOFA_COUNT(exporters); i++) {
    trace(&t, exporters[i], false);
    trace(&t, exporters[i], true);
  }
  assert_int_equal(chdir(before), 0);
  assert_int_equal(rmdir(folder), 0);
  trace_check(&t, "tests/unit/geometry/exporter_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
