/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command line of runcsofa: one table of options, from which parsing, help, manual page and
 * completion are made. */
#ifndef RUNCSOFA_OPTIONS_H
#define RUNCSOFA_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "object/process.h"

/* Exit statuses; documented by --help. */
enum { EXIT_DONE = 0, EXIT_SCENE = 1, EXIT_USAGE = 2, EXIT_FAILED = 3 };

typedef enum RunAction {
  RUN_SCENE,
  RUN_HELP,
  RUN_VERSION,
  RUN_LICENSES,
  RUN_LIST,
  RUN_LIST_QUIRKS,
  RUN_DOC,
  RUN_DOC_JSON,
  RUN_XSD,
  RUN_NEW_PLUGIN,
  RUN_MAN,
  RUN_COMPLETION
} RunAction;

/* GUI_AUTO: a window where there is a display and nothing asks for a batch run. */
typedef enum RunGui { GUI_AUTO, GUI_BATCH, GUI_GLFW, GUI_IMGUI } RunGui;
typedef enum RunSwitch { SWITCH_AUTO, SWITCH_YES, SWITCH_NO } RunSwitch;
typedef enum RunFormat { FORMAT_CLANG, FORMAT_SOFA, FORMAT_JSON } RunFormat;
typedef enum RunTiming { TIMING_STDOUT, TIMING_JSON, TIMING_LJSON } RunTiming;

typedef enum RunScript { SCRIPT_NONE, SCRIPT_SLURM, SCRIPT_PARALLEL } RunScript;

/* Which steps go to the states file. */
typedef struct RunSteps {
  uint64_t *steps; /* ascending, owned; NULL: the default ones */
  size_t n;
  bool all, last;
} RunSteps;

/* Values of an option that may be given several times. */
typedef struct RunWords {
  const char **data; /* owned list */
  size_t n;
} RunWords;

/* All strings are borrowed from argv. */
typedef struct RunOptions {
  RunAction action;
  RunGui gui;
  const char *scene, *doc;         /* scene NULL: an empty window, or the recent one */
  const char *new_plugin, *folder; /* its name; NULL: a folder with this name */
  bool recent, temporary;          /* take the last scene shown; do not remember this one */
  const char *plugins;             /* A,B */
  const char *data_path;           /* A:B */
  const char *plugin_path;         /* A:B */
  int argc;                        /* the command itself */
  char **argv;
  RunWords sweep;            /* FILE.csv, PATH.FIELD=A:B:N */
  uint64_t sweep_only, jobs; /* one variant (from 1); processes at a time; 0: not given */
  RunScript sweep_script;
  RunWords set;       /* PATH.FIELD=VALUE */
  RunWords arguments; /* A,B: of a Python scene */
  const char *out;    /* folder of outputs; NULL: the current one */
  RunWords record;    /* quantities */
  const char *record_file;
  uint64_t record_every; /* steps; 0: only at the end */
  bool record_every_given;
  const char *states;
  RunSteps states_at;
  const char *convergence; /* .csv or .json */
  const char *save_state, *restore;
  bool check_tangent, check_energy, check_mesh;
  const char *check_report; /* .json */
  uint64_t modes, buckling; /* numbers of modes; 0: not asked for */
  const char *shapes;       /* of their files */
  uint64_t save_every;      /* steps; 0: only after the last one */
  const char *screenshot, *video;
  uint64_t screenshot_every;                    /* steps; 0: only after the last one */
  int width, height;                            /* of pictures, pixels */
  const char *show, *camera, *look_at, *colour; /* of what is seen; NULL: as the scene says */
  double colour_range[2];                       /* the first larger: that of the numbers */
  int msaa;                                     /* of the window, 0: default */
  uint64_t n_steps;
  bool infinite, n_given; /* -n was given */
  bool start, hide_progress, no_check, keep_going, strict, quirks, trust_scene, sandbox;
  bool distributed, realtime;
  SofaPartition partition; /* of meshes that are distributed */
  const char *quirk_words; /* A,B */
  bool time_at_begin;
  uint64_t time_sampling; /* 0: never */
  RunTiming timing;
  RunSwitch colors;
  RunFormat format;
  int threads;
  const char *isa;
} RunOptions;

/* Fills *out. false: the usage error was printed on stderr. */
bool options_read(int argc, char **argv, RunOptions *out);
void options_free(RunOptions *options);
/* Is one of the checks asked for? */
bool options_ask_checks(const RunOptions *options);
/* Do the options ask for modes? */
bool options_ask_modes(const RunOptions *options);

void options_print_help(FILE *out);
void options_print_man(FILE *out);
void options_print_completion(FILE *out);

#endif
