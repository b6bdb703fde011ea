/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interpreter in this process: functions of Python's stable interface, found at run time. */
#ifndef PYTHON_H
#define PYTHON_H

#include <sofa.h>

typedef struct Python {
  int (*is_initialized)(void);
  void (*initialize)(int signals);
  void *(*save_thread)(void);
  int (*lock)(void);
  void (*unlock)(int state);
  void *(*import)(const char *name);
  void *(*attribute)(void *object, const char *name);
  void *(*call)(void *object, const char *method, const char *format, ...);
  void *(*bytes)(void *text);
  char *(*characters)(void *bytes);
  void (*unref)(void *object);
  void (*print_error)(void);
  void *module; /* csofa._embed; NULL: not open */
} Python;

/* An argument of a call. */
typedef struct PythonEvent {
  const char *kind; /* "AnimateBeginEvent" */
  double dt;        /* s */
  int key;
} PythonEvent;

/* Before the interpreter starts: its modules are those of an active virtual environment
 * (VIRTUAL_ENV), else those of the installation that the library belongs to, not those of whatever
 * python3 comes first in PATH. */
void python_name_program(SofaContext *ctx, const Python *python);
/* Starts the interpreter, if the process has none, and imports the package csofa. What is missing
 * is reported for the object. */
SofaErr python_open(SofaObject *object, Python *out);
/* csofa._embed.load(path, scene, arguments): runs createScene. */
SofaErr python_load(SofaObject *object, const Python *python, const char *path, void *scene);
SofaErr python_event(SofaObject *object, const Python *python, void *scene,
                     const PythonEvent *event);
/* Appends the paths of the objects written in Python that a saved state does not have. */
SofaErr python_unsaved(const SofaObject *object, const Python *python, void *scene, SofaText *out);
/* Nothing of Python uses the scene after it. */
void python_end(const Python *python, void *scene);

#endif
