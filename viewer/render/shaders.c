/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shaders, GLSL 3.30. */
#include "viewer/render/program.h"

#define HEADER "#version 330 core\n"

/* ---- lit triangles: Blinn-Phong, both sides, in eye coordinates ---- */

#define LIGHTING                                                                                   \
  "uniform int n_lights;\n"                                                                        \
  "uniform vec4 light_position[8];\n" /* w 0: direction towards the light */                       \
  "uniform vec3 light_color[8];\n"                                                                 \
  "uniform vec3 light_direction[8];\n"                                                             \
  "uniform vec3 light_spot[8];\n" /* cosine of the cutoff (-1: none), exponent, attenuation */     \
  "uniform mat4 projection;\n"                                                                     \
  "vec3 towards_eye(vec3 p) {\n"                                                                   \
  "  return projection[3][3] > 0.5 ? vec3(0, 0, 1) : normalize(-p);\n"                             \
  "}\n"                                                                                            \
  "vec3 shade(vec3 p, vec3 n, vec3 base, vec3 shine, float hardness) {\n"                          \
  "  vec3 sum = vec3(0), e = towards_eye(p);\n"                                                    \
  "  for (int i = 0; i < n_lights; i++) {\n"                                                       \
  "    vec3 l = light_position[i].xyz;\n"                                                          \
  "    float strength = 1.0;\n"                                                                    \
  "    if (light_position[i].w > 0.5) {\n"                                                         \
  "      l -= p;\n"                                                                                \
  "      strength /= 1.0 + light_spot[i].z * length(l);\n"                                         \
  "    }\n"                                                                                        \
  "    l = normalize(l);\n"                                                                        \
  "    if (light_spot[i].x > -0.5) {\n"                                                            \
  "      float c = dot(-l, light_direction[i]);\n"                                                 \
  "      strength *= c < light_spot[i].x ? 0.0 : pow(max(c, 1e-6), light_spot[i].y);\n"            \
  "    }\n"                                                                                        \
  "    float d = max(dot(n, l), 0.0);\n"                                                           \
  "    float s = d > 0.0 ? pow(max(dot(n, normalize(l + e)), 1e-6), max(hardness, 1.0)) : 0.0;\n"  \
  "    sum += strength * light_color[i] * (d * base + s * shine);\n"                               \
  "  }\n"                                                                                          \
  "  return sum;\n"                                                                                \
  "}\n"

static const char mesh_vertex[] =
    HEADER "in vec3 position, normal;\n"
           "in vec4 color;\n"
           "in vec2 uv;\n"
           "in float size;\n"
           "uniform mat4 view, projection;\n"
           "uniform vec4 image_transform;\n"
           "out vec3 at, direction;\n"
           "out vec4 own_color;\n"
           "out vec2 image_at;\n"
           "flat out float unlit;\n"
           "void main() {\n"
           "  vec4 p = view * vec4(position, 1);\n"
           "  at = p.xyz;\n"
           "  direction = mat3(view) * normal;\n"
           "  own_color = color;\n"
           "  image_at = uv * image_transform.xy + image_transform.zw;\n"
           "  unlit = size;\n"
           "  gl_Position = projection * p;\n"
           "}\n";

static const char mesh_fragment[] = HEADER LIGHTING
    "in vec3 at, direction;\n"
    "in vec4 own_color;\n"
    "in vec2 image_at;\n"
    "flat in float unlit;\n"
    "uniform vec4 diffuse;\n"
    "uniform vec3 ambient, specular, emissive;\n"
    "uniform float shininess;\n"
    "uniform bool has_normals, has_colors, has_image;\n"
    "uniform sampler2D image;\n"
    "out vec4 pixel;\n"
    "void main() {\n"
    "  vec3 flat_normal = cross(dFdx(at), dFdy(at));\n"
    "  vec3 n = has_normals && dot(direction, direction) > 1e-12 ? direction : flat_normal;\n"
    "  n = normalize(n);\n"
    "  if (dot(n, towards_eye(at)) < 0.0) n = -n;\n"
    "  vec4 base = has_colors ? own_color : diffuse;\n"
    "  vec3 dim = has_colors ? 0.25 * own_color.rgb : ambient;\n"
    "  vec3 lit = dim + emissive + shade(at, n, base.rgb, specular, shininess);\n"
    "  if (unlit > 0.5) lit = base.rgb;\n"
    "  pixel = vec4(lit, base.a);\n"
    "  if (has_image) pixel *= texture(image, image_at);\n"
    "}\n";

/* ---- lines: each becomes a rectangle of its width in pixels ---- */

static const char lines_vertex[] =
    HEADER "in vec3 position;\n"
           "in vec4 color;\n"
           "in float size;\n"
           "uniform mat4 view, projection;\n"
           "out Vertex { vec4 color; float size; } vertex;\n"
           "void main() {\n"
           "  gl_Position = projection * (view * vec4(position, 1));\n"
           "  vertex.color = color;\n"
           "  vertex.size = size;\n"
           "}\n";

static const char lines_geometry[] =
    HEADER "layout(lines) in;\n"
           "layout(triangle_strip, max_vertices = 4) out;\n"
           "in Vertex { vec4 color; float size; } vertex[];\n"
           "uniform vec2 viewport;\n"
           "out vec4 own_color;\n"
           "void put(vec4 p, vec2 aside, vec4 c) {\n"
           "  own_color = c;\n"
           "  gl_Position = vec4(p.xy + aside * p.w, p.zw);\n"
           "  EmitVertex();\n"
           "}\n"
           "void main() {\n"
           "  vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;\n"
           /* the part in front of the near plane */
           "  float da = a.z + a.w, db = b.z + b.w;\n"
           "  if (da <= 0.0 && db <= 0.0) return;\n"
           "  if (da < 0.0) a = mix(a, b, da / (da - db));\n"
           "  else if (db < 0.0) b = mix(b, a, db / (db - da));\n"
           "  vec2 d = (b.xy / b.w - a.xy / a.w) * viewport;\n"
           "  d = dot(d, d) > 1e-12 ? normalize(d) : vec2(1, 0);\n"
           "  vec2 aside = vec2(-d.y, d.x) * max(vertex[0].size, 1.0) / viewport;\n"
           "  put(a, aside, vertex[0].color);\n"
           "  put(a, -aside, vertex[0].color);\n"
           "  put(b, aside, vertex[1].color);\n"
           "  put(b, -aside, vertex[1].color);\n"
           "  EndPrimitive();\n"
           "}\n";

static const char color_fragment[] = HEADER "in vec4 own_color;\n"
                                            "out vec4 pixel;\n"
                                            "void main() { pixel = own_color; }\n";

/* ---- points (discs of a size in pixels) and spheres (of a radius in metres) ---- */

static const char sprite_vertex[] = HEADER "in vec3 position;\n"
                                           "in vec4 color;\n"
                                           "in float size;\n"
                                           "uniform mat4 view;\n"
                                           "out Vertex { vec4 color; float size; } vertex;\n"
                                           "void main() {\n"
                                           "  gl_Position = view * vec4(position, 1);\n"
                                           "  vertex.color = color;\n"
                                           "  vertex.size = size;\n"
                                           "}\n";

static const char sprite_geometry[] = HEADER
    "layout(points) in;\n"
    "layout(triangle_strip, max_vertices = 4) out;\n"
    "in Vertex { vec4 color; float size; } vertex[];\n"
    "uniform mat4 projection;\n"
    "uniform vec2 viewport;\n"
    "uniform bool spheres;\n"
    "out vec4 own_color;\n"
    "out vec2 corner;\n"
    "out vec3 center;\n"
    "flat out float radius;\n"
    "void main() {\n"
    "  vec4 p = gl_in[0].gl_Position;\n"
    "  for (int i = 0; i < 4; i++) {\n"
    "    corner = vec2((i & 1) * 2 - 1, (i & 2) - 1);\n"
    "    own_color = vertex[0].color;\n"
    "    center = p.xyz;\n"
    "    radius = vertex[0].size;\n"
    "    vec4 q = projection * (p + (spheres ? vec4(corner * radius, radius, 0) : vec4(0)));\n"
    "    if (!spheres) q.xy += corner * max(radius, 1.0) / viewport * q.w;\n"
    "    gl_Position = q;\n"
    "    EmitVertex();\n"
    "  }\n"
    "  EndPrimitive();\n"
    "}\n";

static const char sprite_fragment[] = HEADER LIGHTING
    "in vec4 own_color;\n"
    "in vec2 corner;\n"
    "in vec3 center;\n"
    "flat in float radius;\n"
    "uniform bool spheres;\n"
    "out vec4 pixel;\n"
    "void main() {\n"
    "  float d = dot(corner, corner);\n"
    "  if (d > 1.0) discard;\n"
    "  gl_FragDepth = gl_FragCoord.z;\n"
    "  pixel = own_color;\n"
    "  if (!spheres) return;\n"
    "  vec3 n = vec3(corner, sqrt(1.0 - d));\n"
    "  vec3 p = center + radius * n;\n"
    "  vec4 c = projection * vec4(p, 1);\n"
    "  gl_FragDepth = clamp(0.5 + 0.5 * c.z / c.w, 0.0, 1.0);\n"
    "  pixel.rgb = 0.25 * own_color.rgb + shade(p, n, own_color.rgb, vec3(0.2), 30.0);\n"
    "}\n";

/* ---- text: quads at an anchor, offset in pixels (size 1) or in metres facing the eye ---- */

static const char text_vertex[] =
    HEADER "in vec3 position;\n"
           "in vec2 offset, uv;\n"
           "in vec4 color;\n"
           "in float size;\n"
           "uniform mat4 view, projection;\n"
           "uniform vec2 viewport;\n"
           "out vec2 glyph_at;\n"
           "out vec4 own_color;\n"
           "void main() {\n"
           "  vec4 p = view * vec4(position, 1);\n"
           "  if (size < 0.5) p.xy += offset;\n"
           "  gl_Position = projection * p;\n"
           "  if (size > 0.5) gl_Position.xy += offset * 2.0 / viewport * gl_Position.w;\n"
           "  glyph_at = uv;\n"
           "  own_color = color;\n"
           "}\n";

static const char text_fragment[] = HEADER "in vec2 glyph_at;\n"
                                           "in vec4 own_color;\n"
                                           "uniform sampler2D image;\n"
                                           "out vec4 pixel;\n"
                                           "void main() {\n"
                                           "  float covered = texture(image, glyph_at).r;\n"
                                           "  if (covered < 0.02) discard;\n"
                                           "  pixel = vec4(own_color.rgb, own_color.a * covered);\n"
                                           "}\n";

/* ---- background: a gradient, or an image repeated ---- */

static const char background_vertex[] =
    HEADER "out vec2 at;\n"
           "void main() {\n"
           "  at = vec2((gl_VertexID & 1) * 2, gl_VertexID & 2);\n"
           "  gl_Position = vec4(at * 2.0 - 1.0, 0, 1);\n"
           "}\n";

static const char background_fragment[] =
    HEADER "in vec2 at;\n"
           "uniform vec4 top, bottom;\n"
           "uniform bool has_image;\n"
           "uniform sampler2D image;\n"
           "uniform vec4 image_transform;\n"
           "out vec4 pixel;\n"
           "void main() {\n"
           "  pixel = mix(bottom, top, at.y);\n"
           "  if (has_image) pixel = texture(image, at * image_transform.xy);\n"
           "}\n";

const ShaderText shader_texts[N_PROGRAMS] = {
    [PROGRAM_MESH] = {"mesh", mesh_vertex, NULL, mesh_fragment},
    [PROGRAM_LINES] = {"lines", lines_vertex, lines_geometry, color_fragment},
    [PROGRAM_SPRITE] = {"sprite", sprite_vertex, sprite_geometry, sprite_fragment},
    [PROGRAM_TEXT] = {"text", text_vertex, NULL, text_fragment},
    [PROGRAM_BACKGROUND] = {"background", background_vertex, NULL, background_fragment},
};
