/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Picture files and videos. */
#ifndef VIEWER_OFFSCREEN_IMAGE_FILE_H
#define VIEWER_OFFSCREEN_IMAGE_FILE_H

#include "base/context.h"

/* Writes rgb (rows from the top, 3 bytes per pixel) as PNG. */
SofaErr png_write(SofaContext *ctx, const char *path, const uint8_t *rgb, int width, int height);

/* A video through the program ffmpeg (H.264, yuv420p); without it, or when it cannot be started, a
 * warning and a series of PNG files <path without extension>_000000.png, ... */
typedef struct VideoFile VideoFile;
SofaErr video_open(SofaContext *ctx, const char *path, int width, int height, double fps,
                   VideoFile **out);
SofaErr video_write(VideoFile *video, const uint8_t *rgb);
/* Finishes; *video becomes NULL. A failure of ffmpeg is reported; its own words are on stderr.
 * NULL-safe. */
SofaErr video_close(VideoFile **video);

#endif
