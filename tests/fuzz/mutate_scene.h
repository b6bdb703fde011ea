/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of scenes that know their grammar: attributes from the tables of the classes with values
 * at the limits of their types, links to the object itself, to its parents and to others, elements
 * that are removed, doubled, moved, of another class. */
#ifndef TESTS_FUZZ_MUTATE_SCENE_H
#define TESTS_FUZZ_MUTATE_SCENE_H

#include <stddef.h>
#include <stdint.h>
#include "base/context.h"

/* Text of a changed scene; the same one for equal arguments. NULL: the text is not XML. The caller
 * frees it with free. */
char *mutate_scene(const SofaContext *ctx, const char *text, size_t size, uint64_t seed,
                   size_t *new_size);

#endif
