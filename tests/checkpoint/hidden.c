/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is there anything in the objects that a restored run does not have? A scene runs twice up to a
 * step, and a third simulation restores the state that the first has saved. What is the same in the
 * first two and other in the third is state that is not saved. All bytes of the objects' structs,
 * and of the blocks of memory that they point to, are compared, but for fields, private lists, and
 * the members that classes keep. Words that differ in the first two are addresses.
 * Prints "hidden CLASS: ..." for what differs, but "spared CLASS.MEMBER" where the class spares it,
 * and "declared CLASS.MEMBER" for all that is spared and not kept.
 *
 * After each scene: "scene PATH: compared", or why it was not.
 *
 * usage: hidden STEPS AT SCENE...; status 1 when something is found, or a scene cannot be compared
 */
#include "memory.h"
#include "object/checkpoint.h"
#include "trial.h"

enum { N_SIDES = 3, MOST_FOUND = 1024, MOST_PATH = 64, WORD = sizeof(uintptr_t) };
enum { WHOLE, TWIN, RESTORED };

typedef struct Side {
  Memory memory;
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaObjects objects; /* of the graph, with its nodes */
} Side;

typedef struct Found {
  char klass[MOST_PATH]; /* plugins end before the printing */
  size_t offset;
  char path[MOST_PATH];
  bool spared;
  char near[MOST_PATH]; /* the spared member, or the one before that has a name */
  const char *what;
  bool stays; /* after further steps */
} Found;

typedef struct Comparison {
  Side side[N_SIDES];
  Memory seen; /* blocks of the first side that were compared */
  Found found[MOST_FOUND];
  int n_found;
  bool later;
  bool spared; /* second pass: members that are spared */
  /* the member of an object that is compared */
  const SofaClass *klass;
  size_t offset;
} Comparison;

/* A place in all three sides. */
typedef struct Place {
  const char *at[N_SIDES];
  const char *path;
} Place;

/* ---- objects ---- */

static SofaVisit collect_node(SofaNode *node, void *user) {
  Side *s = user;
  SofaObject *object = &node->object;
  SofaErr err = SOFA_APPEND(s->ctx, &s->objects, &object);
  for (size_t i = 0; i < node->objects.n && err == SOFA_OK; i++)
    err = SOFA_APPEND(s->ctx, &s->objects, &node->objects.data[i]);
  return err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

static SofaErr collect(Side *s) {
  s->objects.n = 0;
  return sofa_visit(s->simulation->root,
                    &(SofaVisitor){.down = collect_node, .user = s, .inactive_too = true});
}

/* Place of an object, or of a node's plan, in the list + 1; 0: it is none. */
static size_t object_at(const Side *s, uintptr_t at) {
  if (at == (uintptr_t)s->ctx || at == (uintptr_t)s->simulation) return s->objects.n + 1;
  for (size_t i = 0; i < s->objects.n; i++) {
    const SofaObject *object = s->objects.data[i];
    if ((uintptr_t)object == at) return i + 1;
    if (object == &object->node->object && (uintptr_t)object->node->mechanics == at) return i + 1;
  }
  return 0;
}

/* ---- comparison ---- */

/* The last member before the place that the class's tables name, for the message. */
static const char *name_before(const SofaClass *klass, size_t offset) {
  const char *name = "its base";
  size_t best = 0;
  for (size_t i = 0; i < klass->n_fields; i++)
    if (klass->fields[i].offset < offset && klass->fields[i].offset >= best)
      best = klass->fields[i].offset, name = klass->fields[i].name;
  for (size_t i = 0; i < klass->n_kept; i++)
    if (klass->kept[i].offset < offset && klass->kept[i].offset >= best)
      best = klass->kept[i].offset, name = klass->kept[i].name;
  for (size_t i = 0; i < klass->n_spared; i++)
    if (klass->spared[i].offset < offset && klass->spared[i].offset >= best)
      best = klass->spared[i].offset, name = klass->spared[i].name;
  return name;
}

static const char *spared_at(const SofaClass *klass, size_t offset) {
  for (size_t i = 0; i < klass->n_spared; i++)
    if (offset >= klass->spared[i].offset &&
        offset - klass->spared[i].offset < klass->spared[i].size)
      return klass->spared[i].name;
  return NULL;
}

static void tell(Comparison *c, const char *path, const char *what) {
  for (int i = 0; i < c->n_found; i++) {
    Found *f = &c->found[i];
    if (strcmp(f->klass, c->klass->name) == 0 && f->offset == c->offset) {
      f->stays |= c->later;
      return;
    }
  }
  if (c->n_found == MOST_FOUND) return;
  Found *f = &c->found[c->n_found++];
  *f = (Found){.offset = c->offset, .what = what, .stays = c->later};
  const char *spared = c->spared ? spared_at(c->klass, c->offset) : NULL;
  f->spared = spared != NULL;
  snprintf(f->near, sizeof f->near, "%s", spared ? spared : name_before(c->klass, c->offset));
  snprintf(f->path, sizeof f->path, "%s", path);
  snprintf(f->klass, sizeof f->klass, "%s", c->klass->name);
}

static uintptr_t word_at(const char *at) {
  uintptr_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static void compare_bytes(Comparison *c, const Place *place, size_t n);

static bool is_list(const Side *s, const char *at) {
  const size_t size = block_size(&s->memory, word_at(at)), n = word_at(at + WORD),
               capacity = word_at(at + 2 * WORD);
  if (!word_at(at)) return !n && !capacity;
  return size && capacity && n <= capacity && size % capacity == 0 && !object_at(s, word_at(at));
}

/* Are there lists in all three sides, one of them with memory? */
static bool are_lists(const Comparison *c, const Place *p) {
  bool any = false;
  for (int k = 0; k < N_SIDES; k++) {
    if (!is_list(&c->side[k], p->at[k])) return false;
    any |= word_at(p->at[k]) != 0;
  }
  return any;
}

static void compare_blocks(Comparison *c, const Place *p, size_t n) {
  const uintptr_t key = (uintptr_t)p->at[WHOLE];
  if (2 * c->seen.n >= c->seen.capacity && !grow(&c->seen)) return;
  if (block_size(&c->seen, key)) return;
  *slot_of(&c->seen, key) = (Block){key, 1};
  c->seen.n++;
  compare_bytes(c, p, n);
}

static Place behind(const Place *p, size_t offset, char path[MOST_PATH]) {
  Place to = {.path = path};
  snprintf(path, MOST_PATH, "%s.%zu", p->path, offset);
  for (int k = 0; k < N_SIDES; k++) to.at[k] = (const char *)word_at(p->at[k] + offset);
  return to;
}

static void compare_lists(Comparison *c, const Place *p, size_t offset) {
  char path[MOST_PATH];
  const Place to = behind(p, offset, path);
  size_t n[N_SIDES], entry[N_SIDES], capacity;
  for (int k = 0; k < N_SIDES; k++) {
    n[k] = word_at(p->at[k] + offset + WORD);
    capacity = word_at(p->at[k] + offset + 2 * WORD);
    entry[k] = capacity ? block_size(&c->side[k].memory, (uintptr_t)to.at[k]) / capacity : 0;
  }
  if (n[WHOLE] != n[TWIN]) return;
  if (n[WHOLE] != n[RESTORED]) {
    tell(c, path, "length");
    return;
  }
  if (n[WHOLE] && entry[WHOLE] == entry[TWIN] && entry[WHOLE] == entry[RESTORED])
    compare_blocks(c, &to, entry[WHOLE] * n[WHOLE]);
}

/* Words that point somewhere, or nowhere, in the first side. */
static void compare_pointers(Comparison *c, const Place *p, size_t offset) {
  char path[MOST_PATH];
  const Place to = behind(p, offset, path);
  size_t size[N_SIDES], object[N_SIDES];
  for (int k = 0; k < N_SIDES; k++) {
    size[k] = block_size(&c->side[k].memory, (uintptr_t)to.at[k]);
    object[k] = object_at(&c->side[k], (uintptr_t)to.at[k]);
  }
  if (!size[WHOLE] != !size[TWIN] || size[WHOLE] != size[TWIN]) return;
  if (object[WHOLE] || object[RESTORED]) {
    if (object[WHOLE] != object[RESTORED]) tell(c, path, "object");
  } else if (!size[RESTORED]) {
    tell(c, path, to.at[RESTORED] ? "outside" : "absent");
  } else if (size[WHOLE] != size[RESTORED]) {
    tell(c, path, "size");
  } else {
    compare_blocks(c, &to, size[WHOLE]);
  }
}

static void compare_word(Comparison *c, const Place *p, size_t offset) {
  uintptr_t word[N_SIDES];
  for (int k = 0; k < N_SIDES; k++) word[k] = word_at(p->at[k] + offset);
  if (word[WHOLE] == word[RESTORED]) return;
  if (block_size(&c->side[WHOLE].memory, word[WHOLE])) {
    compare_pointers(c, p, offset);
  } else if (word[WHOLE] == word[TWIN]) {
    char path[MOST_PATH];
    (void)behind(p, offset, path);
    tell(c, path, block_size(&c->side[RESTORED].memory, word[RESTORED]) ? "made" : "value");
  } else if (!word[RESTORED]) {
    char path[MOST_PATH];
    (void)behind(p, offset, path);
    tell(c, path, "absent");
  }
}

static void compare_bytes(Comparison *c, const Place *place, size_t n) {
  for (size_t i = 0; i + WORD <= n; i += WORD) {
    const Place here = {.at = {place->at[0] + i, place->at[1] + i, place->at[2] + i}};
    if (i + 3 * WORD <= n && are_lists(c, &here)) {
      compare_lists(c, place, i);
      i += 2 * WORD;
    } else {
      compare_word(c, place, i);
    }
  }
  const size_t whole = n / WORD * WORD;
  if (memcmp(place->at[WHOLE] + whole, place->at[TWIN] + whole, n - whole) == 0 &&
      memcmp(place->at[WHOLE] + whole, place->at[RESTORED] + whole, n - whole) != 0)
    tell(c, place->path, "value");
}

/* ---- members that are not looked at ---- */

static void mask(unsigned char *known, size_t size, size_t offset, size_t n) {
  if (offset < size) memset(known + offset, 1, n < size - offset ? n : size - offset);
}

static size_t kept_size(const SofaKeptMember *m) {
  switch (m->kind) {
  case SOFA_KEPT_BYTES:
    return m->size;
  case SOFA_KEPT_LIST:
    return sizeof(SofaAnyList);
  case SOFA_KEPT_TYPED:
    return m->type->size;
  default:
    return sizeof(void *);
  }
}

/* What is compared elsewhere; in the second pass all that was in the first. */
static void mask_known(const Comparison *c, const SofaObject *object, unsigned char *known,
                       size_t size) {
  if (c->spared) memset(known, 1, size);
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    for (size_t i = 0; i < k->n_spared; i++)
      if (k->spared[i].offset < size)
        memset(known + k->spared[i].offset, !c->spared, k->spared[i].size);
  mask(known, size, 0, sizeof(SofaObject));
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    mask(known, size, field->offset, field->type->size);
  }
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k)) {
    for (size_t i = 0; i < k->n_lists; i++)
      mask(known, size, k->lists[i].offset,
           k->lists[i].coords ? sizeof(SofaCoords) : sizeof(SofaAnyList));
    for (size_t i = 0; i < k->n_kept; i++)
      mask(known, size, k->kept[i].offset, kept_size(&k->kept[i]));
  }
}

/* The class to whose own members the offset belongs. */
static const SofaClass *owner_of(const SofaClass *klass, size_t offset) {
  for (const SofaClass *base; (base = sofa_class_base(klass)) && offset < base->size;) klass = base;
  return klass;
}

static bool all_unknown(const unsigned char *known, size_t there, size_t n) {
  return n <= there && !memchr(known, 1, n);
}

/* Bytes of a word that are no pointer, one by one: each may be a member of its own. */
static void compare_some(Comparison *c, const Place *p, const unsigned char *known, size_t n) {
  for (size_t i = 0; i < n; i++, c->offset++)
    if (!known[i] && p->at[WHOLE][i] == p->at[TWIN][i] && p->at[WHOLE][i] != p->at[RESTORED][i])
      tell(c, p->path, "value");
}

/* Is there a pointer in one of the sides, to a block or elsewhere? */
static bool is_pointer(const Comparison *c, const Place *p) {
  for (int k = 0; k < N_SIDES; k++)
    if (block_size(&c->side[k].memory, word_at(p->at[k]))) return true;
  return word_at(p->at[WHOLE]) != word_at(p->at[TWIN]);
}

static void compare_object(Comparison *c, size_t i) {
  const SofaObject *object[N_SIDES];
  for (int k = 0; k < N_SIDES; k++) object[k] = c->side[k].objects.data[i];
  const size_t size = object[WHOLE]->klass->size;
  unsigned char *known = calloc(size + 1, 1);
  if (!known) abort();
  mask_known(c, object[WHOLE], known, size);
  for (size_t o = sizeof(SofaObject); o < size;) {
    const Place here = {.at = {(const char *)object[0] + o, (const char *)object[1] + o,
                               (const char *)object[2] + o},
                        .path = ""};
    const size_t list = 3 * WORD, n = size - o < WORD ? size - o : WORD;
    c->klass = owner_of(object[WHOLE]->klass, o);
    c->offset = o;
    if (c->spared) free_memory(&c->seen); // each member for itself
    if (all_unknown(known + o, size - o, list) && are_lists(c, &here)) {
      compare_bytes(c, &here, list);
      o += list;
      continue;
    }
    if (all_unknown(known + o, size - o, WORD) && is_pointer(c, &here))
      compare_bytes(c, &here, WORD);
    else compare_some(c, &here, known + o, n);
    o += n;
  }
  free(known);
}

/* Is a member that is spared kept, too? The test `kept` looks at these. */
static bool is_kept(const SofaClass *klass, const SofaSparedMember *m) {
  for (size_t i = 0; i < klass->n_kept; i++)
    if (klass->kept[i].offset == m->offset) return true;
  return false;
}

static void print_declared(const SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    for (size_t i = 0; i < k->n_spared; i++)
      if (!is_kept(k, &k->spared[i])) printf("declared %s.%s\n", k->name, k->spared[i].name);
}

static bool compare_all(Comparison *c, bool later) {
  for (int k = 0; k < N_SIDES; k++)
    if (collect(&c->side[k]) != SOFA_OK || c->side[k].objects.n != c->side[WHOLE].objects.n)
      return false;
  c->later = later;
  for (int pass = 0; pass < 2; pass++) {
    c->spared = pass == 1;
    for (size_t i = 0; i < c->side[WHOLE].objects.n; i++) compare_object(c, i);
    free_memory(&c->seen);
  }
  for (size_t i = 0; i < c->side[WHOLE].objects.n && !later; i++)
    print_declared(c->side[WHOLE].objects.data[i]);
  return true;
}

/* ---- runs ---- */

/* Steps of one side, begin to end; *made: those that were good. */
static SofaErr go(Side *s, int begin, int end, int *made) {
  SofaErr err = SOFA_OK;
  for (*made = begin; *made < end && err == SOFA_OK;) {
    err = sofa_simulation_step(s->simulation, 0);
    if (err == SOFA_OK) ++*made;
  }
  return err;
}

/* *compared: the state was saved and restored, and the scenes compared. A run that then fails does
 * so in all sides. */
static SofaErr try_scene(Trial *t, Comparison *c, bool *compared) {
  SofaText bytes = {0};
  Side *s = c->side;
  SofaErr err = SOFA_OK;
  int made = 0;
  for (int k = 0; k < N_SIDES && err == SOFA_OK; k++) {
    t->allocate = allocate;
    t->allocate_user = &s[k].memory;
    err = begin(t, &s[k].ctx, &s[k].simulation);
    if (err == SOFA_OK && k != RESTORED) err = go(&s[k], 0, t->at, &made);
  }
  if (err == SOFA_OK) err = sofa_checkpoint_write(s[WHOLE].simulation, &bytes);
  if (err == SOFA_OK)
    err = sofa_checkpoint_read(s[RESTORED].simulation, "the state", bytes.data, bytes.n);
  if (err == SOFA_OK) *compared = compare_all(c, false);
  for (int i = t->at; i < t->steps && err == SOFA_OK; i++)
    for (int k = 0; k < N_SIDES && err == SOFA_OK; k++) err = go(&s[k], i, i + 1, &made);
  if (err == SOFA_OK) *compared = compare_all(c, true);
  if (!*compared && made > 0 && made < t->at) t->at = made; // the run fails earlier
  if (s[WHOLE].ctx) sofa_list_free(s[WHOLE].ctx, &bytes);
  for (int k = 0; k < N_SIDES; k++) {
    if (s[k].ctx) sofa_list_free(s[k].ctx, &s[k].objects);
    end(&s[k].ctx, &s[k].simulation);
    free_memory(&s[k].memory);
    s[k] = (Side){.ctx = NULL};
  }
  return err;
}

/* Prints what is hidden in a scene, and whether it was compared. Is there nothing? */
static bool look_into(Trial *trial, Comparison *c) {
  const int at = trial->at;
  bool compared = false;
  SofaErr err = try_scene(trial, c, &compared);
  if (trial->at < at) err = try_scene(trial, c, &compared);
  bool good = compared;
  for (int i = 0; i < c->n_found; i++) {
    const Found *f = &c->found[i];
    good &= f->spared;
    if (f->spared) printf("spared %s.%s\n", f->klass, f->near);
    else
      printf("hidden %s: byte %zu of its struct (after %s%s%s), %s, %s\n", f->klass, f->offset,
             f->near, *f->path ? ", words " : "", f->path, f->what,
             f->stays ? "also after further steps" : "not after further steps");
  }
  if (compared) printf("scene %s: compared\n", trial->scene);
  else printf("scene %s: %s: %s\n", trial->scene, sofa_err_text(err), trial->refusal);
  fflush(stdout);
  return good;
}

int main(int argc, char **argv) {
  bool good = true;
  const int steps = argc > 1 ? atoi(argv[1]) : 0, at = argc > 2 ? atoi(argv[2]) : 0;
  if (argc < 4 || at < 1 || steps <= at) {
    fprintf(stderr, "usage: hidden STEPS AT SCENE...\n");
    return 2;
  }
  for (int i = 3; i < argc; i++) {
    Trial trial = {.scene = argv[i], .steps = steps, .at = at, .quirks = getenv("RESTART_QUIRKS")};
    Comparison *c = calloc(1, sizeof *c);
    if (!c) return 2;
    good &= look_into(&trial, c);
    free(c);
  }
  return good ? 0 : 1;
}
