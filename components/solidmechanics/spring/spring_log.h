/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What joints and gears write to a file: a record of each spring at the start of a step, when a
 * period has passed. */
#ifndef SOFA_SPRING_LOG_H
#define SOFA_SPRING_LOG_H

#include "numerics/io/output_file.h"
#include "object/event.h"

typedef struct SofaSpringLog {
  /* fields */
  SofaFileName name;
  double period; /* s */
  bool reinit;   /* the file has the last record only */
  /* state */
  SofaOutputFile *file; /* NULL: nothing is written */
  bool per_call;        /* quirk: at every evaluation of a spring's force */
  double last;          /* s: the next record is due a period later */
  size_t n;             /* characters of the record */
  char text[2048];
} SofaSpringLog;

/* Rows of the fields of T, which has a member `log`. */
#define SOFA_SPRING_LOG_ROWS(T, xml, what)                                                         \
  SOFA_FIELD(T, log.name, xml, "", "",                                                             \
             "file that " what                                                                     \
             " are written to at the start of a step; a name ending with .gz is compressed"),      \
      SOFA_FIELD(T, log.period, "period", "0", "s",                                                \
                 "time between two records; 0: one at every step", .range = SOFA_AT_LEAST(0)),     \
      SOFA_FIELD(T, log.reinit, "reinit", "0", "",                                                 \
                 "the file holds the last record of each spring instead of all")

/* Quirk of the classes that list its row. */
enum { QUIRK_SPRING_FILES = 1 << 21 };
#define QUIRK_SPRING_FILES_ROW                                                                     \
  {                                                                                                \
    QUIRK_SPRING_FILES, "spring-files",                                                            \
        "JointSpringForceField and GearSpringForceField write to their files at every evaluation " \
        "of a spring",                                                                             \
        "test_spring_files.quirks_write_at_each_call"                                              \
  }

/* Opens the file where the scene names one; `field` is that of the name. */
SofaErr sofa_spring_log_init(SofaSpringLog *log, const SofaObject *object, const char *field);
void sofa_spring_log_reset(SofaSpringLog *log);
void sofa_spring_log_destroy(SofaSpringLog *log);

/* Is a record due at this time? Then the next one is due a period later. */
bool sofa_spring_log_due(SofaSpringLog *log, double time);
/* Starts the records of a time again with reinit. */
SofaErr sofa_spring_log_rewind(SofaSpringLog *log);
/* A record: its time, rows of numbers, its end, which writes it. Nothing is allocated. */
void sofa_spring_log_begin(SofaSpringLog *log, double time);
void sofa_spring_log_row(SofaSpringLog *log, const char *word, const double *values, size_t n,
                         const char *separator);
SofaErr sofa_spring_log_end(SofaSpringLog *log);

#endif
