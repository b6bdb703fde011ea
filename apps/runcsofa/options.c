/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The option table of runcsofa and its parsing. */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/files.h"
#include "base/text.h"
#include "draw/display_words.h"
#include "option_table.h"
#include "simulation/convergence.h"

const Option option_table[] = {
    {'l', 'l', "load", "A,B", GROUP_SCENE, "load these plugins (names or paths) before the scene"},
    {OPT_PLUGIN_PATH, 0, "plugin-path", "A:B", GROUP_SCENE,
     "folders to search for plugins, before those of CSOFA_PLUGIN_PATH and the installed ones"},
    {OPT_TRUST_SCENE, 0, "trust-scene", NULL, GROUP_SCENE,
     "let the scene load plugins by path and add folders of plugins: code of any library beside it "
     "runs then"},
    {OPT_SANDBOX, 0, "sandbox", NULL, GROUP_SCENE,
     "refuse files that the scene writes outside of the folder of outputs (not those named by "
     "options)"},
    {OPT_DATA_PATH, 0, "data-path", "A:B", GROUP_SCENE,
     "folders to search for files that are not in the folder of the scene"},
    {OPT_NO_CHECK, 0, "noscenecheck", NULL, GROUP_SCENE,
     "do not look over the scene after loading"},
    {OPT_NO_AUTOLOAD, 0, "noautoload", NULL, GROUP_SCENE,
     "accepted for compatibility: no plugin is loaded by itself"},
    {OPT_KEEP_GOING, 0, "keep-going", NULL, GROUP_SCENE,
     "run without the objects that cannot be made, as SOFA does; otherwise any error in the scene "
     "ends the program"},
    {OPT_STRICT, 0, "strict", NULL, GROUP_RUN,
     "a linear solution or a Newton solution that does not converge ends the run (status 3); "
     "otherwise the first of each solver is a warning"},
    {OPT_QUIRKS, 0, "quirks", "[A,B]", GROUP_SCENE,
     "reproduce SOFA even where it contradicts its own documentation: all quirks, or those named; "
     "--list-quirks prints the names"},
    {OPT_SET, 0, "set", "PATH.FIELD=VALUE", GROUP_SCENE,
     "replace a value of the scene before anything is made of it, such as "
     "/body/FEM.youngModulus=5000 or dt=0.01 (of the root node); may be given several times"},
    {'r', 'r', "recent", NULL, GROUP_SCENE, "without a scene: the one that the window showed last"},
    {OPT_TMP, 0, "tmp", NULL, GROUP_SCENE, "do not put the scene among the window's recent files"},
    {OPT_ARGV, 0, "argv", "A,B", GROUP_SCENE,
     "arguments of a Python scene: sys.argv[1], sys.argv[2], ...; may be given several times"},

    {'n', 'n', "nbIter", "N", GROUP_RUN,
     "number of steps, or 'infinite'; default 1000. 0 only loads and initialises. With a window: "
     "it closes after so many"},
    {'a', 'a', "start", NULL, GROUP_RUN, "set the root's 'animate'; batch runs do not need it"},
    {'g', 'g', "gui", "NAME", GROUP_RUN,
     "user interface: imgui (window with panels), glfw (window without), batch. By default a "
     "window "
     "where there is a display, unless -n or an output of a batch run is asked for"},
    {OPT_SWEEP, 0, "sweep", "SWEEP", GROUP_RUN,
     "run variants of the scene, each in a process and a folder of its own (below --out, default "
     "'sweep'), with a table results.csv of what --record names: PATH.FIELD=FIRST:LAST:NUMBER, "
     "PATH.FIELD=VALUE,VALUE,... or a CSV file with names in the first line; several are combined. "
     "An interrupted sweep goes on where it stopped"},
    {OPT_JOBS, 0, "jobs", "N", GROUP_RUN,
     "variants that run at the same time, default: as many as there are processors"},
    {OPT_SWEEP_ONLY, 0, "sweep-only", "N", GROUP_RUN,
     "run one variant of the sweep, from 1, in this process"},
    {OPT_SWEEP_SCRIPT, 0, "sweep-script", "slurm|parallel", GROUP_RUN,
     "print a script for the same sweep: of a Slurm array, or a line for GNU parallel"},
    {OPT_MSAA, 0, "msaa", "N", GROUP_RUN,
     "samples per pixel in the window, default 4; 1: no smoothing"},
    {OPT_DISTRIBUTED, 0, "distributed", "[METHOD]", GROUP_RUN,
     "with mpirun: all its processes run this scene together and divide its meshes and the systems "
     "of its PETScLinearSolver; the first one writes (needs the plugin SofaPETSc). METHOD: how "
     "meshes are divided, graph (default: by PT-Scotch, where this has the smaller border) or "
     "bisection"},
    {OPT_REALTIME, 0, "realtime", NULL, GROUP_RUN,
     "begin each step of a batch run when its time has come, with locked memory, and report the "
     "jitter at the end; for devices that steps of 1 ms (dt) must serve"},
    {OPT_HIDE_PROGRESS, 0, "hideProgressBar", NULL, GROUP_RUN, "show no progress line"},
    {OPT_THREADS, 0, "threads", "N", GROUP_RUN,
     "threads of the numeric kernels, default 1; results do not depend on it"},
    {OPT_ISA, 0, "isa", "NAME", GROUP_RUN,
     "instruction set: auto, baseline, avx2, avx512; baseline gives the same bits on all machines"},
    {'v', 'v', "verification", "DIR", GROUP_RUN,
     "compare with reference files (not supported yet: use --states)"},

    {OPT_OUT, 0, "out", "FOLDER", GROUP_OUTPUT,
     "folder of all outputs, those that the scene names by relative paths, too; it is made when it "
     "does not exist"},
    {OPT_RECORD, 0, "record", "QUANTITY", GROUP_OUTPUT,
     "write a quantity over time to a table: PATH.FIELD, PATH.FIELD[ENTRY].NUMBER, one of them "
     "with "
     ":min, :max, :mean, :sum, :norm, :maxnorm (largest norm of an entry) or :count, kineticEnergy "
     ", potentialEnergy or dissipatedEnergy; may be given several times"},
    {OPT_RECORD_FILE, 0, "record-file", "FILE", GROUP_OUTPUT,
     "name of that table (CSV), default record.csv"},
    {OPT_RECORD_EVERY, 0, "record-every", "N", GROUP_OUTPUT,
     "steps between two lines of that table, default 1; 0: only the last one"},
    {OPT_STATES, 0, "states", "FILE", GROUP_OUTPUT,
     "write positions and velocities of all mechanical states; compressed when FILE ends in .gz"},
    {OPT_STATES_AT, 0, "states-at", "LIST", GROUP_OUTPUT,
     "steps to write: numbers separated by commas, 'last', 'all'; default "
     "0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000, 5000, 10000, last. Step 0 is the "
     "initialised "
     "scene"},
    {OPT_CONVERGENCE, 0, "convergence", "FILE", GROUP_OUTPUT,
     "write how solvers converge: one row per Newton iteration, linear solve and iteration of it; "
     "CSV or JSON when FILE ends in .csv or .json"},
    {OPT_SAVE_STATE, 0, "save-state", "FILE", GROUP_RUN,
     "write the whole state of the run after the last step, also after an interrupt; --restore "
     "goes "
     "on from it"},
    {OPT_SAVE_EVERY, 0, "save-every", "N", GROUP_RUN,
     "with --save-state: write it every N steps, too; FILE always holds the last whole state"},
    {OPT_RESTORE, 0, "restore", "FILE", GROUP_RUN,
     "go on from a state that --save-state has written, of the same scene with the same options, "
     "with the same bits; -n counts the steps of the whole run"},
    {OPT_CHECK_TANGENT, 0, "check-tangent", NULL, GROUP_RUN,
     "compare force fields and mappings with differences of what they compute, after the steps of "
     "-n (default 0); status 1 when something is wrong"},
    {OPT_CHECK_ENERGY, 0, "check-energy", NULL, GROUP_RUN,
     "print the balance of energies of each step of -n; status 1 when energy grows without a load"},
    {OPT_CHECK_MESH, 0, "check-mesh", NULL, GROUP_RUN,
     "look for bad elements, points, surfaces and units of all meshes; status 1 for what breaks a "
     "run"},
    {OPT_MODES, 0, "modes", "N", GROUP_RUN,
     "print the N lowest modes of vibration at the state after the steps of -n (default 0), and "
     "write them to modes.csv; with -g glfw or -g imgui show their shapes in the window"},
    {OPT_BUCKLING, 0, "buckling", "N", GROUP_RUN,
     "print the N lowest factors of the scene's loads at which it buckles, by linear theory, and "
     "write them to buckling.csv; with -g glfw or -g imgui show their shapes in the window"},
    {OPT_SHAPES, 0, "shapes", "NAME", GROUP_OUTPUT,
     "write the shapes of these modes to NAME_1.vtu, NAME_2.vtu, ..."},
    {OPT_CHECK_REPORT, 0, "check-report", "FILE.json", GROUP_OUTPUT,
     "write what the checks found as JSON, too"},
    {OPT_SCREENSHOT, 0, "screenshot", "FILE.png", GROUP_OUTPUT,
     "write a picture of the scene after the last step; needs no display"},
    {OPT_SCREENSHOT_EVERY, 0, "screenshot-every", "N", GROUP_OUTPUT,
     "instead write one at the start and every N steps: FILE_<step>.png"},
    {OPT_SIZE, 0, "size", "WxH", GROUP_OUTPUT, "size of pictures and videos, default 1280x720"},
    {OPT_VIDEO, 0, "video", "FILE.mp4", GROUP_OUTPUT,
     "write a video in the scene's time, up to 60 pictures a second, with the program ffmpeg; "
     "without it a series of PNG files"},
    {'b', 'b', "computationTimeAtBegin", NULL, GROUP_OUTPUT, "print timers of loading and init"},
    {OPT_SAMPLING, 0, "computationTimeSampling", "N", GROUP_OUTPUT,
     "print timers every N steps; 0: never"},
    {'o', 'o', "computationTimeOutputType", "TYPE", GROUP_OUTPUT,
     "output of timers: stdout, ljson (one JSON object per line on stdout), json (the same in a "
     "file <scene>_<step>.json)"},
    {'c', 'c', "colors", "[yes|no|auto]", GROUP_OUTPUT, "colours of messages; default auto"},
    {'f', 'f', "formatting", "STYLE", GROUP_OUTPUT,
     "style of messages: auto or clang (file:line: severity: path: text), sofa"},
    {OPT_LOG, 0, "log", "text|json", GROUP_OUTPUT, "messages as text, or one JSON object per line"},

    {OPT_SHOW, 0, "show", "FLAGS", GROUP_VIEW,
     "show or hide what the scene does not: the flags of VisualStyle, such as "
     "'showBehaviorModels hideVisual', also without 'show' or with '-' for 'hide', and points, "
     "forces, contacts: 'points wireframe -visual'"},
    {OPT_CAMERA, 0, "camera", "CAMERA", GROUP_VIEW,
     "a view file, or numbers: 'X Y Z  X Y Z' (the camera and a place that it looks at), then if "
     "wanted the upward direction (3 numbers) and the field of view (degrees)"},
    {OPT_LOOK_AT, 0, "look-at", "PLACE", GROUP_VIEW,
     "'X Y Z', or the path of an object or node: the middle of its box at the start. The camera "
     "moves there and keeps its direction; one of --camera stays and turns"},
    {OPT_COLOUR, 0, "colour", "PATH.FIELD", GROUP_VIEW,
     "draw a body in the colours of a field with a number or vector for each point or element, "
     "such as /beam/FEM.vonMisesPerNode, /beam/state.velocity (its length) or "
     "/beam/state.velocity.y, with a legend, in place of what the scene shows of it"},
    {OPT_COLOUR_RANGE, 0, "colour-range", "A:B", GROUP_VIEW,
     "numbers at the ends of the colours; otherwise the range of the numbers, the same for all "
     "pictures of a run"},

    {'h', 'h', "help", NULL, GROUP_INFO, "print this"},
    {OPT_VERSION, 0, "version", NULL, GROUP_INFO, "print the version"},
    {OPT_LICENSES, 0, "licenses", NULL, GROUP_INFO, "print under which licenses the program is"},
    {OPT_LIST, 0, "list", NULL, GROUP_INFO, "list the components by module"},
    {OPT_LIST_QUIRKS, 0, "list-quirks", NULL, GROUP_INFO,
     "list the quirks: name, component, the test that shows it, and what SOFA does, with tabs "
     "between them"},
    {OPT_DOC, 0, "doc", "NAME[,NAME...]", GROUP_INFO,
     "describe components and their fields (Markdown)"},
    {OPT_DOC_JSON, 0, "doc-json", NULL, GROUP_INFO,
     "describe all components and their fields (JSON), for programs that make pages or forms"},
    {OPT_XSD, 0, "xsd", NULL, GROUP_INFO,
     "print the XML schema of all components, with which editors complete and check scenes"},
    {OPT_NEW_PLUGIN, 0, "new-plugin", "NAME", GROUP_INFO,
     "write the sources of a new plugin with a component, a scene and a test to the folder NAME, "
     "or "
     "to the folder that is given in place of a scene"},
    {OPT_MAN, 0, "man", NULL, GROUP_INFO, "print the manual page (troff)"},
    {OPT_COMPLETION, 0, "completion", NULL, GROUP_INFO, "print a completion script for bash"},
};
const size_t n_option_table = sizeof option_table / sizeof *option_table;

const char *option_words(int key) {
  static const struct {
    int key;
    const char *words;
  } rows[] = {{'g', "imgui glfw batch"},
              {OPT_ISA, "auto baseline avx2 avx512"},
              {'o', "stdout json ljson"},
              {'c', "yes no auto"},
              {'f', "auto clang sofa"},
              {OPT_LOG, "text json"},
              {OPT_SWEEP_SCRIPT, "slurm parallel"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].key == key) return rows[i].words;
  return NULL;
}

enum { MAX_OPTIONS = 80 };

/* ---- getopt's view of the table ---- */

static void make_getopt_tables(struct option *longs, char *shorts) {
  *shorts++ = ':'; /* a missing argument is told apart */
  for (size_t i = 0; i < n_option_table; i++) {
    const Option *o = &option_table[i];
    const bool optional = o->argument && o->argument[0] == '[';
    const int has = !o->argument ? no_argument : optional ? optional_argument : required_argument;
    longs[i] = (struct option){o->name, has, NULL, o->key};
    if (!o->letter) continue;
    *shorts++ = o->letter;
    for (int colons = has == no_argument ? 0 : optional ? 2 : 1; colons > 0; colons--)
      *shorts++ = ':';
  }
  longs[n_option_table] = (struct option){0};
  *shorts = '\0';
}

/* ---- values ---- */

static bool usage(const char *format, const char *a, const char *b) {
  fprintf(stderr, "runcsofa: error: ");
  fprintf(stderr, format, a, b);
  fprintf(stderr, "\nSee runcsofa --help.\n");
  return false;
}

static bool read_count(const char *text, uint64_t max, uint64_t *out) {
  const char *end = text + strlen(text), *stop;
  int64_t value;
  if (!sofa_parse_int(text, end, &stop, &value) || stop != end || value < 0 ||
      (uint64_t)value > max)
    return false;
  *out = (uint64_t)value;
  return true;
}

static const Option *option_of(int key) {
  for (size_t i = 0; i < n_option_table; i++)
    if (option_table[i].key == key) return &option_table[i];
  return NULL;
}

/* "imgui, glfw or batch" */
static void print_words(const char *words, char *out, size_t size) {
  size_t n = 0;
  out[0] = '\0';
  for (const char *p = words; *p && n + 1 < size; p += *p == ' ') {
    const int length = (int)strcspn(p, " ");
    const char *between = p == words ? "" : p[length] ? ", " : " or ";
    n += (size_t)snprintf(out + n, size - n, "%s%.*s", between, length, p);
    p += length;
  }
}

/* The rank of the value among the words of its option. */
static bool read_choice(int key, const char *text, int *out) {
  const Option *option = option_of(key);
  const size_t length = strlen(text);
  char expected[128], list[80];
  *out = 0;
  for (const char *p = option_words(key); *p; p += *p == ' ', ++*out) {
    const size_t n = strcspn(p, " ");
    if (n == length && strncmp(p, text, n) == 0) return true;
    p += n;
  }
  print_words(option_words(key), list, sizeof list);
  if (key == 'g') return usage("there is no user interface '%s': expected %s", text, list);
  snprintf(expected, sizeof expected, "--%s: expected %s", option->name, list);
  return usage("%s, not '%s'", expected, text);
}

static int by_number(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

/* "1,2,5,last" */
static bool read_steps(const char *text, RunSteps *out) {
  size_t n = 1;
  for (const char *p = text; *p; p++) n += *p == ',';
  free(out->steps);
  *out = (RunSteps){.steps = calloc(n, sizeof *out->steps)};
  if (!out->steps) return usage("out of memory%s%s", "", "");
  for (const char *at = text;;) {
    const size_t length = strcspn(at, ",");
    char word[32] = "";
    if (length < sizeof word) sofa_copy(word, at, length);
    if (strcmp(word, "all") == 0) out->all = true;
    else if (strcmp(word, "last") == 0) out->last = true;
    else if (read_count(word, INT64_MAX, &out->steps[out->n])) out->n++;
    else return usage("--states-at: expected step numbers, 'last' or 'all', not '%s'%s", text, "");
    if (!at[length]) break;
    at += length + 1;
  }
  sofa_sort(out->steps, out->n, sizeof *out->steps, by_number);
  return true;
}

static bool add_word(const char *word, RunWords *out) {
  const char **data = realloc(out->data, (out->n + 1) * sizeof *data);
  if (!data) return usage("out of memory%s%s", "", "");
  out->data = data;
  out->data[out->n++] = word;
  return true;
}

static bool read_gui(const char *name, RunOptions *o) {
  static const RunGui guis[] = {GUI_IMGUI, GUI_GLFW, GUI_BATCH};
  int i = 0;
  if (!read_choice('g', name, &i)) return false;
  o->gui = guis[i];
  return true;
}

/* Pictures are PNG files; a name without extension is one, too. */
static bool read_picture(const char *name, RunOptions *o) {
  const char *extension = sofa_path_extension(name);
  o->screenshot = name;
  if (!*extension || strcasecmp(extension, "png") == 0) return true;
  return usage("--screenshot: pictures are written as PNG: expected a file name that ends in .png, "
               "not '%s'%s",
               name, "");
}

static bool read_numbers(int key, const char *value, RunOptions *o) {
  uint64_t n = 0;
  switch (key) {
  case 'n':
    o->infinite = strcmp(value, "infinite") == 0;
    o->n_given = true;
    return o->infinite || read_count(value, INT64_MAX, &o->n_steps) ||
           usage("-n: expected a number of steps >= 0 or 'infinite', not '%s'%s", value, "");
  case OPT_SAVE_EVERY:
    return (read_count(value, INT64_MAX, &o->save_every) && o->save_every > 0) ||
           usage("--save-every: expected a number of steps > 0, not '%s'%s", value, "");
  case OPT_SCREENSHOT_EVERY:
    return (read_count(value, INT64_MAX, &o->screenshot_every) && o->screenshot_every > 0) ||
           usage("--screenshot-every: expected a number of steps > 0, not '%s'%s", value, "");
  case OPT_MODES:
    return (read_count(value, 100000, &o->modes) && o->modes > 0) ||
           usage("--modes: expected a number of modes from 1 to 100000, not '%s'%s", value, "");
  case OPT_BUCKLING:
    return (read_count(value, 100000, &o->buckling) && o->buckling > 0) ||
           usage("--buckling: expected a number of modes from 1 to 100000, not '%s'%s", value, "");
  case OPT_JOBS:
    return (read_count(value, 4096, &o->jobs) && o->jobs > 0) ||
           usage("--jobs: expected a number from 1 to 4096, not '%s'%s", value, "");
  case OPT_SWEEP_ONLY:
    return (read_count(value, INT64_MAX, &o->sweep_only) && o->sweep_only > 0) ||
           usage("--sweep-only: expected the number of a variant, from 1, not '%s'%s", value, "");
  case OPT_RECORD_EVERY:
    o->record_every_given = true;
    return read_count(value, INT64_MAX, &o->record_every) ||
           usage("--record-every: expected a number of steps >= 0, not '%s'%s", value, "");
  case OPT_MSAA:
    if (!read_count(value, 64, &n) || n == 0)
      return usage("--msaa: expected a number from 1 to 64, not '%s'%s", value, "");
    o->msaa = (int)n;
    return true;
  case OPT_THREADS:
    if (!read_count(value, 1024, &n) || n == 0)
      return usage("--threads: expected a number from 1 to 1024, not '%s'%s", value, "");
    o->threads = (int)n;
    return true;
  default:
    return read_count(value, INT64_MAX, &o->time_sampling) ||
           usage("--computationTimeSampling: expected a number of steps, not '%s'%s", value, "");
  }
}

/* "1280x720" */
static bool read_size(const char *text, RunOptions *o) {
  uint64_t size[2] = {0, 0};
  char word[2][12] = {"", ""};
  const size_t x = strcspn(text, "x");
  if (x < sizeof word[0] && text[x] && strlen(text + x + 1) < sizeof word[1]) {
    sofa_copy(word[0], text, x);
    strcpy(word[1], text + x + 1);
  }
  for (int i = 0; i < 2; i++)
    if (!read_count(word[i], 16384, &size[i]) || size[i] == 0)
      return usage("--size: expected WIDTHxHEIGHT, 1 to 16384 each, not '%s'%s", text, "");
  o->width = (int)size[0];
  o->height = (int)size[1];
  return true;
}

/* The words must be flags; they are read again when there is a view. */
static bool read_show(const char *text, RunOptions *o) {
  SofaDisplayFlags flags;
  const char *nearest = NULL;
  size_t length = 0;
  char word[80], hint[80] = "";
  const char *wrong = sofa_display_flags_read(text, &flags, &length, &nearest);
  o->show = text;
  if (!wrong) return true;
  snprintf(word, sizeof word, "%.*s", (int)length, wrong);
  if (nearest) snprintf(hint, sizeof hint, "; did you mean '%s'?", nearest);
  return usage("--show: '%s' is not a display flag%s", word, hint);
}

/* "0:1e5" */
static bool read_range(const char *text, RunOptions *o) {
  double *range = o->colour_range;
  const char *at = text;
  const bool first = sofa_read_real(&at, &range[0]) && *at == ':';
  at += first;
  if (first && sofa_read_real(&at, &range[1]) && sofa_at_end(&at) && range[0] < range[1])
    return true;
  return usage("--colour-range: expected A:B, two numbers, the second one larger, not '%s'%s", text,
               "");
}

static bool read_choices(int key, const char *value, RunOptions *o) {
  int i = 0;
  if (!read_choice(key, value ? value : "yes", &i)) return false;
  switch (key) {
  case 'o':
    o->timing = (RunTiming)i;
    return true;
  case 'c':
    o->colors = i == 0 ? SWITCH_YES : i == 1 ? SWITCH_NO : SWITCH_AUTO;
    return true;
  case 'f':
    if (o->format != FORMAT_JSON) o->format = i == 2 ? FORMAT_SOFA : FORMAT_CLANG;
    return true;
  case OPT_SWEEP_SCRIPT:
    o->sweep_script = i == 0 ? SCRIPT_SLURM : SCRIPT_PARALLEL;
    return true;
  default:
    if (i == 1) o->format = FORMAT_JSON;
    return true;
  }
}

static RunAction action_of(int key) {
  static const struct {
    int key;
    RunAction action;
  } rows[] = {{'h', RUN_HELP},
              {OPT_VERSION, RUN_VERSION},
              {OPT_LICENSES, RUN_LICENSES},
              {OPT_LIST, RUN_LIST},
              {OPT_LIST_QUIRKS, RUN_LIST_QUIRKS},
              {OPT_DOC, RUN_DOC},
              {OPT_DOC_JSON, RUN_DOC_JSON},
              {OPT_XSD, RUN_XSD},
              {OPT_NEW_PLUGIN, RUN_NEW_PLUGIN},
              {OPT_MAN, RUN_MAN},
              {OPT_COMPLETION, RUN_COMPLETION}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].key == key) return rows[i].action;
  return RUN_SCENE;
}

static bool read_distributed(const char *value, RunOptions *o) {
  o->distributed = true;
  o->partition = SOFA_PARTITION_DEFAULT;
  if (!value) return true;
  if (strcmp(value, "bisection") == 0) o->partition = SOFA_PARTITION_BISECTION;
  else if (strcmp(value, "graph") == 0) o->partition = SOFA_PARTITION_GRAPH;
  else return usage("--distributed: '%s' is not graph or bisection%s", value, "");
  return true;
}

/* One option of the table. */
static bool take(int key, const char *value, RunOptions *o) {
  const RunAction action = action_of(key);
  if (action != RUN_SCENE && o->action == RUN_SCENE) o->action = action;
  switch (key) {
  case 'l':
    o->plugins = value;
    return true;
  case OPT_DATA_PATH:
    o->data_path = value;
    return true;
  case OPT_PLUGIN_PATH:
    o->plugin_path = value;
    return true;
  case OPT_TRUST_SCENE:
    o->trust_scene = true;
    return true;
  case OPT_REALTIME:
    o->realtime = true;
    return true;
  case OPT_DISTRIBUTED:
    return read_distributed(value, o);
  case OPT_SANDBOX:
    o->sandbox = true;
    return true;
  case OPT_NO_CHECK:
    o->no_check = true;
    return true;
  case OPT_KEEP_GOING:
    o->keep_going = true;
    return true;
  case OPT_STRICT:
    o->strict = true;
    return true;
  case OPT_QUIRKS:
    o->quirks |= !value;
    if (value) o->quirk_words = value;
    return true;
  case 'r':
    o->recent = true;
    return true;
  case OPT_TMP:
    o->temporary = true;
    return true;
  case OPT_ARGV:
    return add_word(value, &o->arguments);
  case 'a':
    o->start = true;
    return true;
  case 'g':
    return read_gui(value, o);
  case OPT_HIDE_PROGRESS:
    o->hide_progress = true;
    return true;
  case OPT_ISA:
    o->isa = value;
    return true;
  case 'v':
    return usage("--verification is not supported yet: write --states and compare them%s%s", "",
                 "");
  case OPT_SET:
    return add_word(value, &o->set);
  case OPT_SWEEP:
    return add_word(value, &o->sweep);
  case OPT_OUT:
    o->out = value;
    return *value || usage("--out: expected the name of a folder%s%s", "", "");
  case OPT_RECORD:
    return add_word(value, &o->record);
  case OPT_RECORD_FILE:
    o->record_file = value;
    return true;
  case OPT_STATES:
    o->states = value;
    return true;
  case OPT_STATES_AT:
    return read_steps(value, &o->states_at);
  case OPT_CONVERGENCE:
    o->convergence = value;
    return sofa_convergence_can_write(value) ||
           usage("--convergence: expected a file name that ends in .csv or .json, not '%s'%s",
                 value, "");
  case OPT_SAVE_STATE:
    o->save_state = value;
    return true;
  case OPT_RESTORE:
    o->restore = value;
    return true;
  case OPT_CHECK_TANGENT:
    o->check_tangent = true;
    return true;
  case OPT_CHECK_ENERGY:
    o->check_energy = true;
    return true;
  case OPT_CHECK_MESH:
    o->check_mesh = true;
    return true;
  case OPT_SHAPES:
    o->shapes = value;
    return true;
  case OPT_CHECK_REPORT:
    o->check_report = value;
    return true;
  case OPT_SCREENSHOT:
    return read_picture(value, o);
  case OPT_VIDEO:
    o->video = value;
    return true;
  case OPT_SIZE:
    return read_size(value, o);
  case OPT_SHOW:
    return read_show(value, o);
  case OPT_CAMERA:
    o->camera = value;
    return true;
  case OPT_LOOK_AT:
    o->look_at = value;
    return true;
  case OPT_COLOUR:
    o->colour = value;
    return true;
  case OPT_COLOUR_RANGE:
    return read_range(value, o);
  case 'b':
    o->time_at_begin = true;
    return true;
  case OPT_DOC:
    o->doc = value;
    return true;
  case OPT_NEW_PLUGIN:
    o->new_plugin = value;
    return true;
  case 'n':
  case OPT_THREADS:
  case OPT_SAMPLING:
  case OPT_MSAA:
  case OPT_SCREENSHOT_EVERY:
  case OPT_RECORD_EVERY:
  case OPT_JOBS:
  case OPT_SWEEP_ONLY:
  case OPT_MODES:
  case OPT_BUCKLING:
  case OPT_SAVE_EVERY:
    return read_numbers(key, value, o);
  case 'o':
  case 'c':
  case 'f':
  case OPT_LOG:
  case OPT_SWEEP_SCRIPT:
    return read_choices(key, value, o);
  default:
    return true;
  }
}

/* ---- arguments that are not options ---- */

static bool unknown(const char *word) {
  const char *names[MAX_OPTIONS];
  if (strncmp(word, "--", 2) != 0) return usage("unknown option '%s'%s", word, "");
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  for (size_t i = 0; i < n_option_table; i++) names[i] = option_table[i].name;
  const size_t nearest = sofa_nearest_word(name, names, n_option_table);
  if (nearest == n_option_table) return usage("unknown option '--%s'%s", name, "");
  return usage("unknown option '--%s'; did you mean '--%s'?", name, names[nearest]);
}

/* The value of an option that takes none, or an unknown short option. */
static bool refuse(int argc, char **argv) {
  const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "";
  char letter[3] = {'-', (char)optopt, '\0'};
  if (optopt > 0 && optopt < 128 && strncmp(word, "--", 2) != 0)
    return usage("unknown option '%s'%s", letter, "");
  for (size_t i = 0; i < n_option_table; i++)
    if (optopt && option_table[i].key == optopt)
      return usage("--%s takes no value%s", option_table[i].name, "");
  return unknown(word);
}

/* Each variant of a sweep has files of its own. */
static bool check_variants(const RunOptions *o) {
  const char *const names[][2] = {
      {"--record-file", o->record_file}, {"--states", o->states}, {"--convergence", o->convergence},
      {"--screenshot", o->screenshot},   {"--video", o->video},   {"--save-state", o->save_state}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i][1] && names[i][1][0] == '/')
      return usage("%s: each variant of a sweep has its own: expected a relative path, not '%s'",
                   names[i][0], names[i][1]);
  return true;
}

static bool read_scene(int argc, char **argv, RunOptions *o) {
  if (o->sandbox && o->trust_scene)
    return usage("--sandbox and --trust-scene exclude each other%s%s", "", "");
  if (o->action == RUN_NEW_PLUGIN) {
    o->folder = argv[optind]; // NULL behind the last one
    return optind + 1 >= argc || usage("--new-plugin: one folder at a time: '%s' and '%s' given",
                                       argv[optind], argv[optind + 1]);
  }
  if (o->action != RUN_SCENE) return true;
  if (o->screenshot_every && !o->screenshot)
    return usage("--screenshot-every needs --screenshot%s%s", "", "");
  if (o->colour_range[0] < o->colour_range[1] && !o->colour)
    return usage("--colour-range needs --colour%s%s", "", "");
  if ((o->sweep_only || o->jobs || o->sweep_script) && !o->sweep.n)
    return usage("%s needs --sweep%s",
                 o->sweep_only ? "--sweep-only"
                 : o->jobs     ? "--jobs"
                               : "--sweep-script",
                 "");
  if (o->distributed && o->sweep.n)
    return usage("--distributed is not supported with --sweep yet%s%s", "", "");
  if (o->distributed && (o->gui == GUI_GLFW || o->gui == GUI_IMGUI))
    return usage("--distributed runs without a window: -g batch%s%s", "", "");
  if (o->realtime && (o->gui == GUI_GLFW || o->gui == GUI_IMGUI))
    return usage(
        "--realtime is for runs without a window, which has a speed of its own: -g batch%s%s", "",
        "");
  if (o->realtime && o->sweep.n)
    return usage("--realtime is not supported with --sweep yet%s%s", "", "");
  if (o->distributed || o->realtime) o->gui = GUI_BATCH;
  if (o->sweep.n && !check_variants(o)) return false;
  if (o->check_report && !options_ask_checks(o))
    return usage("--check-report needs a check, such as --check-tangent%s%s", "", "");
  if (o->check_energy && !o->n_given)
    return usage("--check-energy needs -n, the number of steps%s%s", "", "");
  if (o->sweep.n && options_ask_checks(o))
    return usage("checks are not supported with --sweep yet: check one variant with --set%s%s", "",
                 "");
  if (o->modes && o->buckling) return usage("--modes and --buckling are two runs%s%s", "", "");
  if (o->shapes && !options_ask_modes(o))
    return usage("--shapes needs --modes or --buckling%s%s", "", "");
  if (o->sweep.n && options_ask_modes(o))
    return usage("modes are not supported with --sweep yet: take one variant with --set%s%s", "",
                 "");
  if ((options_ask_checks(o) || options_ask_modes(o)) && !o->n_given) o->n_steps = 0;
  if (o->save_every && !o->save_state) return usage("--save-every needs --save-state%s%s", "", "");
  // a window can do without
  if (optind >= argc && o->sweep.n) return usage("no scene given%s%s", "", "");
  if (optind >= argc && o->recent) return true;
  if (optind >= argc && (o->gui == GUI_GLFW || o->gui == GUI_IMGUI)) return true;
  if (optind >= argc) return usage("no scene given%s%s", "", "");
  if (optind + 1 < argc)
    return usage("one scene at a time: '%s' and '%s' given", argv[optind], argv[optind + 1]);
  o->scene = argv[optind];
  return true;
}

bool options_ask_checks(const RunOptions *o) {
  return o->check_tangent || o->check_energy || o->check_mesh;
}

bool options_ask_modes(const RunOptions *o) {
  return o->modes || o->buckling;
}

bool options_read(int argc, char **argv, RunOptions *out) {
  struct option longs[MAX_OPTIONS + 1];
  char shorts[3 * MAX_OPTIONS + 2];
  *out = (RunOptions){.argc = argc,
                      .argv = argv,
                      .n_steps = 1000,
                      .threads = 1,
                      .record_every = 1,
                      .width = 1280,
                      .height = 720,
                      .colour_range = {1, 0}};
  make_getopt_tables(longs, shorts);
  opterr = 0;
  for (;;) {
    const int key = getopt_long(argc, argv, shorts, longs, NULL);
    if (key == -1) return read_scene(argc, argv, out);
    if (key == '?') return refuse(argc, argv);
    if (key == ':') return usage("'%s' needs a value%s", argv[optind - 1], "");
    if (!take(key, optarg, out)) return false;
  }
}

void options_free(RunOptions *options) {
  free(options->states_at.steps);
  free(options->set.data);
  free(options->sweep.data);
  free(options->record.data);
  free(options->arguments.data);
  options->states_at.steps = NULL;
  options->set.data = options->record.data = options->arguments.data = NULL;
}
