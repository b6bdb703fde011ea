/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TaskSchedulerSettings: the number of threads a scene asks for. */
#include "components/setting/setting.h"

typedef struct TaskSchedulerSettings {
  SofaObject object;
  int n_threads;
  char *scheduler;
} TaskSchedulerSettings;

static const SofaField fields[] = {
    SOFA_FIELD(
        TaskSchedulerSettings, n_threads, "nbThreads", "0", "1",
        "no effect: the run is asked for threads (runcsofa --threads); results do not depend "
        "on them",
        .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(TaskSchedulerSettings, scheduler, "taskSchedulerType", "_default", "",
               "no effect: there is one scheduler", .flags = SOFA_FIELD_NO_EFFECT),
};

SOFA_CLASS(TaskSchedulerSettings) = {
    SOFA_NAMED(TaskSchedulerSettings), .module = "Sofa.Simulation.Core",
    .category = "_Miscellaneous",      .help = "Asks for a number of threads; the program decides.",
    .base = &sofa_object_class,        SOFA_FIELDS(fields),
};
