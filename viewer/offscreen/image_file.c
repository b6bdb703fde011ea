/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes PNG files, and videos through the program ffmpeg. */
#include "viewer/offscreen/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/output.h"
#include "base/provenance.h"
#include "base/text.h"

static const SofaOrigin origin = {.emitter = "viewer"};

/* ---- PNG ---- */

typedef struct Picture {
  const uint8_t *rgb;
  int width, height;
  const char *comment; /* NULL: none */
} Picture;

typedef struct PngText {
  char why[96];
} PngText;

static void on_png_error(png_structp png, png_const_charp message) {
  PngText *text = png_get_error_ptr(png);
  snprintf(text->why, sizeof text->why, "%s", message);
  png_longjmp(png, 1);
}

static void on_png_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

/* The comment of the picture. */
static void put_comment(png_structp png, png_infop info, const char *comment) {
  png_text entry = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Comment"};
  if (!comment) return;
  entry.text = (char *)(uintptr_t)comment; // libpng copies it
  png_set_text(png, info, &entry, 1);
}

/* Everything that libpng may jump out of. */
static bool put_png(FILE *file, const Picture *picture, PngText *text) {
  const int width = picture->width, height = picture->height;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, text, on_png_error, on_png_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  volatile bool good = false;
  if (info && !setjmp(png_jmpbuf(png))) {
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    put_comment(png, info, picture->comment);
    png_write_info(png, info);
    for (int y = 0; y < height; y++)
      png_write_row(png, (png_const_bytep)picture->rgb + (size_t)y * 3 * (size_t)width);
    png_write_end(png, NULL);
    good = true;
  }
  png_destroy_write_struct(&png, info ? &info : NULL);
  return good;
}

SofaErr png_write(SofaContext *ctx, const char *path, const uint8_t *rgb, int width, int height) {
  const SofaOutputSpec spec = {.path = path, .what = "the picture", .provenance = SOFA_REMARK_NONE};
  const Picture picture = {rgb, width, height, sofa_provenance(ctx)};
  PngText text = {""};
  SofaOutput *file = NULL;
  SOFA_TRY(sofa_output_open(ctx, &spec, &file));
  errno = 0;
  if (!put_png(sofa_output_stream(file), &picture, &text))
    sofa_output_lose(file, errno ? strerror(errno) : text.why);
  return sofa_output_close(&file);
}

/* ---- video ---- */

struct VideoFile {
  SofaContext *ctx;
  char *path;
  int width, height;
  pid_t ffmpeg;       /* 0: a series of PNG files */
  int pipe;           /* its standard input, -1 */
  SofaOutput *output; /* the file that ffmpeg writes */
  uint64_t n_frames;
  bool failed;
};

extern char **environ;

/* Starts a program that reads v->pipe. false: it cannot be started. */
static bool start(VideoFile *v, char *const *arguments) {
  posix_spawn_file_actions_t actions;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  bool good = posix_spawn_file_actions_init(&actions) == 0;
  if (good) {
    good = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO) == 0 &&
           posix_spawnp(&v->ffmpeg, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
  }
  close(ends[0]);
  if (good) v->pipe = ends[1];
  else close(ends[1]);
  if (!good) v->ffmpeg = 0;
  return good;
}

/* A name that begins with a word and a colon is a protocol for ffmpeg, one with a dash an option:
 * `file:` stands before it. */
static bool start_ffmpeg(VideoFile *v, double fps) {
  char size[40], rate[40];
  snprintf(size, sizeof size, "%dx%d", v->width, v->height);
  sofa_print_real(rate, fps, 6);
  const char *line = sofa_provenance(v->ctx);
  char *target = sofa_format(v->ctx, "file:%s", sofa_output_temporary(v->output));
  char *comment = sofa_format(v->ctx, "comment=%s", line ? line : "");
  char *const arguments[] = {"ffmpeg",
                             "-loglevel",
                             "error",
                             "-y",
                             "-f",
                             "rawvideo",
                             "-pix_fmt",
                             "rgb24",
                             "-s",
                             size,
                             "-r",
                             rate,
                             "-i",
                             "-",
                             "-an",
                             "-vf",
                             "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-pix_fmt",
                             "yuv420p",
                             "-crf",
                             "18",
                             "-metadata",
                             comment,
                             target,
                             NULL};
  const bool good = target && comment && start(v, arguments);
  sofa_free(v->ctx, comment);
  sofa_free(v->ctx, target);
  return good;
}

SofaErr video_open(SofaContext *ctx, const char *path, int width, int height, double fps,
                   VideoFile **out) {
  const SofaOutputSpec spec = {.path = path,
                               .what = "the video",
                               .provenance = SOFA_REMARK_NONE,
                               .media = true,
                               .empty = true};
  SofaErr err = SOFA_OK;
  *out = NULL;
  VideoFile *v = sofa_alloc(ctx, 1, sizeof *v);
  if (!v) return SOFA_ERR_MEMORY;
  *v = (VideoFile){.ctx = ctx, .width = width, .height = height, .pipe = -1};
  v->path = sofa_strdup(ctx, path);
  SOFA_GO(err, failed, v->path ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, failed, sofa_output_open(ctx, &spec, &v->output));
  if (!start_ffmpeg(v, fps)) {
    sofa_output_discard(&v->output);
    sofa_message(ctx, SOFA_WARNING, &origin,
                 "the program ffmpeg cannot be started: instead of %s a series of PNG files is "
                 "written",
                 path);
  }
  *out = v;
  return SOFA_OK;
failed:
  sofa_free(ctx, v->path);
  sofa_free(ctx, v);
  return err;
}

static SofaErr write_one_png(VideoFile *v, const uint8_t *rgb) {
  const char *name = sofa_path_name(v->path), *dot = strrchr(name, '.');
  const int n = dot ? (int)(dot - v->path) : (int)strlen(v->path);
  char *path = sofa_format(v->ctx, "%.*s_%06llu.png", n, v->path, (unsigned long long)v->n_frames);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = png_write(v->ctx, path, rgb, v->width, v->height);
  sofa_free(v->ctx, path);
  return err;
}

/* Writes all of it; a pipe without a reader is an error, not a signal. */
static bool write_all(int file, const uint8_t *bytes, size_t n) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, kept;
  sigaction(SIGPIPE, &ignore, &kept);
  while (n > 0) {
    const ssize_t done = write(file, bytes, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    bytes += done;
    n -= (size_t)done;
  }
  sigaction(SIGPIPE, &kept, NULL);
  return n == 0;
}

SofaErr video_write(VideoFile *v, const uint8_t *rgb) {
  SofaErr err = SOFA_OK;
  if (v->failed) return SOFA_ERR_IO;
  if (!v->ffmpeg) err = write_one_png(v, rgb);
  else if (!write_all(v->pipe, rgb, 3 * (size_t)v->width * (size_t)v->height))
    err = sofa_output_lose(v->output, "ffmpeg does not take the picture");
  v->n_frames++;
  v->failed = err != SOFA_OK;
  return err;
}

SofaErr video_close(VideoFile **video) {
  VideoFile *v = *video;
  SofaErr err = SOFA_OK;
  int status = 0;
  if (!v) return SOFA_OK;
  if (v->pipe >= 0) close(v->pipe);
  if (v->ffmpeg) {
    while (waitpid(v->ffmpeg, &status, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      sofa_output_lose(v->output, "ffmpeg did not make it (it said why above)");
  }
  err = sofa_output_close(&v->output);
  if (v->failed && err == SOFA_OK) err = SOFA_ERR_IO;
  sofa_free(v->ctx, v->path);
  sofa_free(v->ctx, v);
  *video = NULL;
  return err;
}
