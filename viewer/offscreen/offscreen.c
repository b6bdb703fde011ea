/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenGL context of EGL that needs no display, and a framebuffer to draw into. */
#include "viewer/offscreen/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <string.h>

struct Offscreen {
  SofaContext *ctx;
  EGLDisplay display;
  EGLContext context;
  int width, height;
  GLuint drawn, plain;      /* framebuffers: with samples, to read from */
  GLuint color, depth, out; /* renderbuffers */
  uint8_t *pixels;          /* owned, width * height * 3 */
};

static const SofaOrigin origin = {.emitter = "viewer"};

static bool has_word(const char *list, const char *word) {
  const size_t n = strlen(word);
  for (; list && (list = strstr(list, word)) != NULL; list += n)
    if (list[n] == ' ' || !list[n]) return true;
  return false;
}

/* Without a display where the driver can do that, else the default one. */
static EGLDisplay find_display(void) {
  const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (has_word(client, "EGL_MESA_platform_surfaceless") &&
      has_word(client, "EGL_EXT_platform_base"))
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

/* NULL: it works; else why not */
static const char *open_context(Offscreen *o) {
  static const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
  static const EGLint format[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = NULL;
  EGLint n = 0;
  if (!epoxy_has_egl()) return "there is no EGL library";
  o->display = find_display();
  if (o->display == EGL_NO_DISPLAY || !eglInitialize(o->display, NULL, NULL)) {
    o->display = EGL_NO_DISPLAY;
    return "EGL finds no device to draw with";
  }
  if (!has_word(eglQueryString(o->display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context"))
    return "EGL cannot do without a surface here";
  if (!eglBindAPI(EGL_OPENGL_API)) return "EGL has no OpenGL";
  if (!eglChooseConfig(o->display, format, &config, 1, &n) || n < 1) config = NULL;
  o->context = eglCreateContext(o->display, config, EGL_NO_CONTEXT, wanted);
  if (o->context == EGL_NO_CONTEXT) return "there is no OpenGL 3.3";
  if (!eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context))
    return "the OpenGL context cannot be used without a surface";
  return NULL;
}

SofaErr offscreen_create(SofaContext *ctx, Offscreen **out) {
  *out = NULL;
  Offscreen *o = sofa_alloc(ctx, 1, sizeof *o);
  if (!o) return SOFA_ERR_MEMORY;
  o->ctx = ctx;
  o->display = EGL_NO_DISPLAY;
  o->context = EGL_NO_CONTEXT;
  const char *why = open_context(o);
  if (why) {
    offscreen_destroy(&o);
    return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, &origin, "no pictures can be made: %s", why);
  }
  *out = o;
  return SOFA_OK;
}

static void drop_buffers(Offscreen *o) {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (o->drawn) glDeleteFramebuffers(1, &o->drawn);
  if (o->plain) glDeleteFramebuffers(1, &o->plain);
  if (o->color) glDeleteRenderbuffers(1, &o->color);
  if (o->depth) glDeleteRenderbuffers(1, &o->depth);
  if (o->out) glDeleteRenderbuffers(1, &o->out);
  o->drawn = o->plain = o->color = o->depth = o->out = 0;
  o->width = o->height = 0;
}

void offscreen_destroy(Offscreen **offscreen) {
  Offscreen *o = *offscreen;
  if (!o) return;
  if (o->context != EGL_NO_CONTEXT) {
    drop_buffers(o);
    eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(o->display, o->context);
  }
  if (o->display != EGL_NO_DISPLAY) eglTerminate(o->display);
  sofa_free(o->ctx, o->pixels);
  sofa_free(o->ctx, o);
  *offscreen = NULL;
}

static GLuint new_buffer(GLenum format, GLsizei samples, int width, int height) {
  GLuint name = 0;
  glGenRenderbuffers(1, &name);
  glBindRenderbuffer(GL_RENDERBUFFER, name);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  return name;
}

/* false: the driver refuses */
static bool make_buffers(Offscreen *o, int width, int height, GLsizei samples) {
  // stored as they are written, unless GL_FRAMEBUFFER_SRGB is on
  o->color = new_buffer(GL_SRGB8_ALPHA8, samples, width, height);
  o->depth = new_buffer(GL_DEPTH_COMPONENT24, samples, width, height);
  glGenFramebuffers(1, &o->drawn);
  glBindFramebuffer(GL_FRAMEBUFFER, o->drawn);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, o->color);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, o->depth);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
  o->out = new_buffer(GL_SRGB8_ALPHA8, 0, width, height);
  glGenFramebuffers(1, &o->plain);
  glBindFramebuffer(GL_FRAMEBUFFER, o->plain);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, o->out);
  return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

SofaErr offscreen_bind(Offscreen *o, int width, int height) {
  GLint samples = 0, largest = 0;
  if (o->width != width || o->height != height) {
    glGetIntegerv(GL_MAX_SAMPLES, &samples);
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width < 1 || height < 1 || width > largest || height > largest)
      return sofa_fail(o->ctx, SOFA_ERR_RANGE, &origin,
                       "a picture of %d x %d pixels: expected 1 to %d on each side", width, height,
                       largest);
    drop_buffers(o);
    bool good = make_buffers(o, width, height, samples < 4 ? samples : 4);
    if (!good) {
      drop_buffers(o);
      good = make_buffers(o, width, height, 0);
    }
    uint8_t *pixels =
        good ? sofa_realloc(o->ctx, o->pixels, (size_t)width * (size_t)height, 3) : NULL;
    if (pixels) o->pixels = pixels;
    if (!pixels) drop_buffers(o);
    if (!good)
      return sofa_fail(o->ctx, SOFA_ERR_UNSUPPORTED, &origin,
                       "no framebuffer of %d x %d pixels can be made", width, height);
    if (!pixels) return SOFA_ERR_MEMORY;
    o->width = width;
    o->height = height;
  }
  glBindFramebuffer(GL_FRAMEBUFFER, o->drawn);
  glViewport(0, 0, width, height);
  return SOFA_OK;
}

static void swap_rows(Offscreen *o) {
  const size_t row = 3 * (size_t)o->width;
  for (int y = 0; y < o->height / 2; y++) {
    uint8_t *a = o->pixels + (size_t)y * row, *b = o->pixels + (size_t)(o->height - 1 - y) * row;
    for (size_t i = 0; i < row; i++) {
      const uint8_t kept = a[i];
      a[i] = b[i];
      b[i] = kept;
    }
  }
}

SofaErr offscreen_read(Offscreen *o, const uint8_t **rgb) {
  const int w = o->width, h = o->height;
  *rgb = NULL;
  if (!o->pixels || !w) return SOFA_ERR_ARGUMENT;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, o->drawn);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, o->plain);
  glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, o->plain);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, w, h, GL_RGB, GL_UNSIGNED_BYTE, o->pixels);
  glBindFramebuffer(GL_FRAMEBUFFER, o->drawn);
  if (glGetError() != GL_NO_ERROR)
    return sofa_fail(o->ctx, SOFA_ERR_UNSUPPORTED, &origin, "the picture cannot be read back");
  swap_rows(o);
  *rgb = o->pixels;
  return SOFA_OK;
}
