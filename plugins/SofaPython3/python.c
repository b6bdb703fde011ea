/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interpreter in this process. */
#include "python.h"

#include <csofa/csofa.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "scene/reader.h"

/* ---- the library ---- */

/* Modules of Python that are libraries (numpy) find its functions: they are global. */
static void *open_library(const char **tried) {
  static const char *const names[] = {"libpython3.11.so.1.0", "libpython3.12.so.1.0",
                                      "libpython3.13.so.1.0", "libpython3.10.so.1.0",
                                      "libpython3.9.so.1.0"};
  const char *named = getenv("CSOFA_PYTHON_LIBRARY");
  *tried = named && *named ? named : names[0];
  if (named && *named) return dlopen(named, RTLD_NOW | RTLD_GLOBAL);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    if (library) return library;
  }
  return NULL;
}

typedef struct Symbol {
  const char *name;
  void *function; /* address of the member */
} Symbol;

/* false: *missing is not there. */
static bool find_functions(void *library, Python *p, const char **missing) {
  const Symbol symbols[] = {
      {"Py_IsInitialized", &p->is_initialized},
      {"Py_InitializeEx", &p->initialize},
      {"PyEval_SaveThread", &p->save_thread},
      {"PyGILState_Ensure", &p->lock},
      {"PyGILState_Release", &p->unlock},
      {"PyImport_ImportModule", &p->import},
      {"PyObject_GetAttrString", &p->attribute},
      {"PyObject_CallMethod", &p->call},
      {"PyUnicode_AsUTF8String", &p->bytes},
      {"PyBytes_AsString", &p->characters},
      {"Py_DecRef", &p->unref},
      {"PyErr_Print", &p->print_error},
  };
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *found = dlsym(library, symbols[i].name);
    *missing = symbols[i].name;
    if (!found) return false;
    memcpy(symbols[i].function, &found, sizeof found);
  }
  return true;
}

static SofaErr find_python(SofaObject *object, Python *p) {
  const char *what;
  // a process that Python runs has the functions already
  if (find_functions(RTLD_DEFAULT, p, &what)) return SOFA_OK;
  void *library = open_library(&what);
  if (!library)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "Python was not found (%s): scenes in Python need its library, in "
                            "Debian the packages libpython3.11 and python3-numpy; "
                            "CSOFA_PYTHON_LIBRARY names another one",
                            what);
  if (find_functions(library, p, &what)) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED, "this libpython has no function %s", what);
}

/* ---- the package ---- */

/* The folder csofa/python next to the library is searched last. */
static void add_folder(SofaContext *ctx, const Python *p) {
  Dl_info info;
  CsofaErr (*const here)(struct SofaSimulation *, CsofaScene **) = csofa_adopt;
  void *address;
  memcpy(&address, &here, sizeof address);
  if (!dladdr(address, &info) || !info.dli_fname) return;
  const char *slash = strrchr(info.dli_fname, '/');
  char *folder =
      slash ? sofa_format(ctx, "%.*s/csofa/python", (int)(slash - info.dli_fname), info.dli_fname)
            : NULL;
  void *sys = folder && sofa_is_folder(folder) ? p->import("sys") : NULL;
  void *path = sys ? p->attribute(sys, "path") : NULL;
  void *done = path ? p->call(path, "append", "s", folder) : NULL;
  if (done) p->unref(done);
  if (path) p->unref(path);
  if (sys) p->unref(sys);
  sofa_free(ctx, folder);
}

SofaErr python_open(SofaObject *object, Python *p) {
  SOFA_TRY(find_python(object, p));
  if (!p->is_initialized()) {
    python_name_program(object->ctx, p);
    p->initialize(0);
    p->save_thread(); // every call takes the lock, in whatever thread
  }
  const int state = p->lock();
  add_folder(object->ctx, p);
  p->module = p->import("csofa._embed");
  if (!p->module) p->print_error();
  p->unlock(state);
  if (p->module) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "Python cannot import the package csofa (the reason is above): install "
                          "python3-csofa and python3-numpy, or set PYTHONPATH");
}

/* ---- calls ---- */

/* Functions of csofa._embed return the text of an error, "" when there was none. `result` is
 * taken; the lock is held. */
static SofaErr read_result(SofaObject *object, const Python *p, void *result) {
  void *bytes = result ? p->bytes(result) : NULL;
  const char *text = bytes ? p->characters(bytes) : NULL;
  SofaErr err = SOFA_OK;
  if (!text) {
    p->print_error();
    err = sofa_object_fail(object, SOFA_ERR_SCENE, "the call of Python failed");
  } else if (*text) {
    err = sofa_object_fail(object, SOFA_ERR_SCENE, "%s", text);
  }
  if (bytes) p->unref(bytes);
  if (result) p->unref(result);
  return err;
}

static unsigned long long number_of(const void *scene) {
  return (unsigned long long)(uintptr_t)scene;
}

SofaErr python_load(SofaObject *object, const Python *p, const char *path, void *scene) {
  const int state = p->lock();
  const SofaErr err = read_result(
      object, p,
      p->call(p->module, "load", "sKs", path, number_of(scene), sofa_scene_arguments(object->ctx)));
  p->unlock(state);
  return err;
}

SofaErr python_event(SofaObject *object, const Python *p, void *scene, const PythonEvent *event) {
  const int state = p->lock();
  const SofaErr err = read_result(
      object, p,
      p->call(p->module, "event", "Ksdi", number_of(scene), event->kind, event->dt, event->key));
  p->unlock(state);
  return err;
}

SofaErr python_unsaved(const SofaObject *object, const Python *p, void *scene, SofaText *out) {
  const int state = p->lock();
  void *result = p->call(p->module, "unsaved", "K", number_of(scene));
  void *bytes = result ? p->bytes(result) : NULL;
  const char *text = bytes ? p->characters(bytes) : NULL;
  SofaErr err = SOFA_ERR_SCENE;
  if (text) err = sofa_text_append(object->ctx, out, text, strlen(text));
  else p->print_error();
  if (bytes) p->unref(bytes);
  if (result) p->unref(result);
  p->unlock(state);
  return err;
}

void python_end(const Python *p, void *scene) {
  const int state = p->lock();
  void *result = p->call(p->module, "end", "K", number_of(scene));
  if (result) p->unref(result);
  else p->print_error();
  p->unlock(state);
}
