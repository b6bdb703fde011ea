/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shaders, GLSL 3.30. */
#include "viewer/render/program.h"

#define HEADER "#version 330 core\n"

/* ---- planes that cut ---- */

/* p: in the camera's axes */
#define CUTTING                                                                                    \
  "uniform vec4 planes[6];\n"                                                                      \
  "out float gl_ClipDistance[6];\n"                                                                \
  "void cut(vec4 p) {\n"                                                                           \
  "  for (int i = 0; i < 6; i++) gl_ClipDistance[i] = dot(planes[i], p);\n"                        \
  "}\n"

/* ---- shadows ---- */

/* How much of light i reaches the point p with the normal n, l towards the light; 1 all of it. Maps
 * know depths to a pixel only, so the point is moved along its normal by as much as its surface
 * can rise within one. Soft: Chebyshev's bound on the part of the map's depths that are farther. */
#define SHADOWS                                                                                    \
  "uniform sampler2DArrayShadow shadow_depth;\n"                                                   \
  "uniform sampler2DArray shadow_moments;\n"                                                       \
  "uniform int shadow_kind[8];\n" /* 0 none, 1 parallel, 2 cone, 3 cube */                         \
  "uniform mat4 shadow_matrix[8];\n"                                                               \
  "uniform vec4 shadow_map[8];\n"  /* first layer, part of the layer, near, far */                 \
  "uniform vec4 shadow_tune[8];\n" /* soft, darkness, bleeding, least variance */                  \
  "uniform vec3 shadow_size[8];\n" /* of a pixel, m; the same of the texture; scale of a cube */   \
  "float reach_soft(int i, vec2 at, float layer, float depth) {\n"                                 \
  "  vec2 m = texture(shadow_moments, vec3(at, layer)).rg;\n"                                      \
  "  if (depth <= m.x) return 1.0;\n"                                                              \
  "  float variance = max(m.y - m.x * m.x, max(shadow_tune[i].w, 1e-7));\n"                        \
  "  float d = depth - m.x, bound = variance / (variance + d * d);\n"                              \
  "  return smoothstep(min(shadow_tune[i].z, 0.999), 1.0, bound);\n"                               \
  "}\n"                                                                                            \
  "float reach_hard(int i, vec2 at, float layer, float depth) {\n"                                 \
  "  float sum = 0.0;\n"                                                                           \
  "  for (int x = -1; x <= 1; x++)\n"                                                              \
  "    for (int y = -1; y <= 1; y++)\n"                                                            \
  "      sum += texture(shadow_depth, vec4(at + vec2(x, y) * shadow_size[i].y, layer, depth));\n"  \
  "  return sum / 9.0;\n"                                                                          \
  "}\n"                                                                                            \
  "float reach(int i, vec3 p, vec3 n, vec3 l, float far) {\n"                                      \
  "  int kind = shadow_kind[i];\n"                                                                 \
  "  if (kind == 0) return 1.0;\n"                                                                 \
  "  vec4 map = shadow_map[i];\n"                                                                  \
  "  float c = clamp(dot(n, l), 0.0, 1.0);\n"                                                      \
  "  float pixel = shadow_size[i].x * (kind == 1 ? 1.0 : far);\n"                                  \
  "  vec4 s = shadow_matrix[i] * vec4(p + n * pixel * (0.5 + 2.0 * sqrt(1.0 - c * c)), 1);\n"      \
  "  float layer = map.x, linear;\n"                                                               \
  "  vec3 at;\n"                                                                                   \
  "  if (kind == 3) {\n"                                                                           \
  "    vec3 a = abs(s.xyz);\n"                                                                     \
  "    float m = max(a.x, max(a.y, a.z));\n"                                                       \
  "    int axis = m == a.x ? 0 : m == a.y ? 1 : 2;\n"                                              \
  "    vec2 uv = axis == 0 ? s.yz : axis == 1 ? s.zx : s.xy;\n"                                    \
  "    layer += float(2 * axis) + (s[axis] < 0.0 ? 1.0 : 0.0);\n"                                  \
  "    float z = (map.w + map.z - 2.0 * map.w * map.z / m) / (map.w - map.z);\n"                   \
  "    at = vec3(uv * shadow_size[i].z / m, z);\n"                                                 \
  "    linear = (m - map.z) / (map.w - map.z);\n"                                                  \
  "  } else {\n"                                                                                   \
  "    if (s.w <= 0.0) return 1.0;\n"                                                              \
  "    at = s.xyz / s.w;\n"                                                                        \
  "    linear = kind == 1 ? 0.5 + 0.5 * at.z : (s.w - map.z) / (map.w - map.z);\n"                 \
  "  }\n"                                                                                          \
  "  if (any(greaterThan(abs(at), vec3(1)))) return 1.0;\n"                                        \
  "  at = 0.5 + 0.5 * at;\n"                                                                       \
  "  at.xy *= map.y;\n"                                                                            \
  "  float lit = shadow_tune[i].x > 0.5 ? reach_soft(i, at.xy, layer, linear)\n"                   \
  "                                     : reach_hard(i, at.xy, layer, at.z);\n"                    \
  "  return 1.0 - clamp(shadow_tune[i].y, 0.0, 1.0) * (1.0 - lit);\n"                              \
  "}\n"

/* ---- lit triangles: Blinn-Phong, both sides, in eye coordinates ---- */

#define LIGHTING                                                                                   \
  SHADOWS                                                                                          \
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
  "    float strength = 1.0, far = 1.0;\n"                                                         \
  "    if (light_position[i].w > 0.5) {\n"                                                         \
  "      l -= p;\n"                                                                                \
  "      far = length(l);\n"                                                                       \
  "      strength /= 1.0 + light_spot[i].z * far;\n"                                               \
  "    }\n"                                                                                        \
  "    l = normalize(l);\n"                                                                        \
  "    if (light_spot[i].x > -0.5) {\n"                                                            \
  "      float c = dot(-l, light_direction[i]);\n"                                                 \
  "      strength *= c < light_spot[i].x ? 0.0 : pow(max(c, 1e-6), light_spot[i].y);\n"            \
  "    }\n"                                                                                        \
  "    float d = max(dot(n, l), 0.0);\n"                                                           \
  "    float s = d > 0.0 ? pow(max(dot(n, normalize(l + e)), 1e-6), max(hardness, 1.0)) : 0.0;\n"  \
  "    if (d > 0.0 && strength > 0.0) strength *= reach(i, p, n, l, far);\n"                       \
  "    sum += strength * light_color[i] * (d * base + s * shine);\n"                               \
  "  }\n"                                                                                          \
  "  return sum;\n"                                                                                \
  "}\n"

static const char mesh_vertex[] =
    HEADER CUTTING "in vec3 position, normal;\n"
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
                   "  cut(p);\n"
                   "  direction = mat3(view) * normal;\n"
                   "  own_color = color;\n"
                   "  image_at = uv * image_transform.xy + image_transform.zw;\n"
                   "  unlit = size;\n"
                   "  gl_Position = projection * p;\n"
                   "}\n";

#define MESH_FRAGMENT(outputs, result)                                                             \
  HEADER LIGHTING outputs                                                                          \
      "in vec3 at, direction;\n"                                                                   \
      "in vec4 own_color;\n"                                                                       \
      "in vec2 image_at;\n"                                                                        \
      "flat in float unlit;\n"                                                                     \
      "uniform vec4 diffuse;\n"                                                                    \
      "uniform vec3 ambient, specular, emissive;\n"                                                \
      "uniform float shininess;\n"                                                                 \
      "uniform bool has_normals, has_colors, has_image;\n"                                         \
      "uniform sampler2D image;\n"                                                                 \
      "void main() {\n"                                                                            \
      "  vec3 flat_normal = cross(dFdx(at), dFdy(at));\n"                                          \
      "  vec3 n = has_normals && dot(direction, direction) > 1e-12 ? direction : flat_normal;\n"   \
      "  n = normalize(n);\n"                                                                      \
      "  if (dot(n, towards_eye(at)) < 0.0) n = -n;\n"                                             \
      "  vec4 base = has_colors ? own_color : diffuse;\n"                                          \
      "  vec3 dim = has_colors ? 0.25 * own_color.rgb : ambient;\n"                                \
      "  vec3 lit = dim + emissive + shade(at, n, base.rgb, specular, shininess);\n"               \
      "  if (unlit > 0.5) lit = base.rgb;\n"                                                       \
      "  vec4 pixel = vec4(lit, base.a);\n"                                                        \
      "  if (has_image) pixel *= texture(image, image_at);\n" result "}\n"

static const char mesh_fragment[] = MESH_FRAGMENT("out vec4 drawn;\n", "  drawn = pixel;\n");

/* range.x: decrease of the weight with the distance. The weight is (10) of McGuire and Bavoil. */
static const char mesh_oit_fragment[] =
    MESH_FRAGMENT("uniform vec2 range;\n"
                  "layout(location = 0) out vec4 sum;\n"
                  "layout(location = 1) out vec4 weight;\n",
                  "  float far = range.x * abs(at.z);\n"
                  "  float w = pixel.a * clamp(0.03 / (1e-5 + far * far * far * far), 1e-2, 3e3);\n"
                  "  sum = vec4(w * pixel.rgb, pixel.a);\n"
                  "  weight = vec4(w);\n");

/* ---- lines: each becomes a rectangle of its width in pixels ---- */

static const char lines_vertex[] = HEADER "in vec3 position;\n"
                                          "in vec4 color;\n"
                                          "in float size;\n"
                                          "uniform mat4 view, projection;\n"
                                          "out Vertex { vec4 color, seen; float size; } vertex;\n"
                                          "void main() {\n"
                                          "  vertex.seen = view * vec4(position, 1);\n"
                                          "  gl_Position = projection * vertex.seen;\n"
                                          "  vertex.color = color;\n"
                                          "  vertex.size = size;\n"
                                          "}\n";

static const char lines_geometry[] = HEADER CUTTING
    "layout(lines) in;\n"
    "layout(triangle_strip, max_vertices = 4) out;\n"
    "in Vertex { vec4 color, seen; float size; } vertex[];\n"
    "uniform vec2 viewport;\n"
    "out vec4 own_color;\n"
    "void put(vec4 p, vec2 aside, vec4 c, vec4 seen) {\n"
    "  own_color = c;\n"
    "  cut(seen);\n"
    "  gl_Position = vec4(p.xy + aside * p.w, p.zw);\n"
    "  EmitVertex();\n"
    "}\n"
    "void main() {\n"
    "  vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;\n"
    /* the part in front of the near plane */
    "  float da = a.z + a.w, db = b.z + b.w;\n"
    "  if (da <= 0.0 && db <= 0.0) return;\n"
    "  vec4 sa = vertex[0].seen, sb = vertex[1].seen;\n"
    "  float ta = da < 0.0 ? da / (da - db) : 0.0, tb = db < 0.0 ? db / (db - da) : 0.0;\n"
    "  vec4 a0 = a;\n"
    "  a = mix(a, b, ta);\n"
    "  b = mix(b, a0, tb);\n"
    "  vec4 seen_a = mix(sa, sb, ta), seen_b = mix(sb, sa, tb);\n"
    "  vec2 d = (b.xy / b.w - a.xy / a.w) * viewport;\n"
    "  d = dot(d, d) > 1e-12 ? normalize(d) : vec2(1, 0);\n"
    "  vec2 aside = vec2(-d.y, d.x) * max(vertex[0].size, 1.0) / viewport;\n"
    "  put(a, aside, vertex[0].color, seen_a);\n"
    "  put(a, -aside, vertex[0].color, seen_a);\n"
    "  put(b, aside, vertex[1].color, seen_b);\n"
    "  put(b, -aside, vertex[1].color, seen_b);\n"
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
    "uniform vec4 planes[6];\n"
    "bool is_cut(vec3 p) {\n"
    "  for (int i = 0; i < 6; i++)\n"
    "    if (dot(planes[i], vec4(p, 1)) < 0.0) return true;\n"
    "  return false;\n"
    "}\n"
    "in vec4 own_color;\n"
    "in vec2 corner;\n"
    "in vec3 center;\n"
    "flat in float radius;\n"
    "uniform bool spheres;\n"
    "out vec4 pixel;\n"
    "void main() {\n"
    "  float d = dot(corner, corner);\n"
    "  vec3 n = spheres ? vec3(corner, sqrt(max(1.0 - d, 0.0))) : vec3(0);\n"
    "  vec3 p = center + radius * n;\n"
    "  if (d > 1.0 || is_cut(p)) discard;\n"
    "  gl_FragDepth = gl_FragCoord.z;\n"
    "  pixel = own_color;\n"
    "  if (!spheres) return;\n"
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

/* ---- shadow maps ---- */

static const char depth_vertex[] =
    HEADER CUTTING "in vec3 position;\n"
                   "uniform mat4 view, projection;\n"
                   "uniform vec2 range;\n"
                   "out float far;\n"
                   "void main() {\n"
                   "  vec4 p = view * vec4(position, 1);\n"
                   "  cut(p);\n"
                   "  gl_Position = projection * p;\n"
                   "  far = (-p.z - range.x) / (range.y - range.x);\n"
                   "}\n";

/* Mean and mean square of the depth over the pixel. */
static const char depth_fragment[] =
    HEADER "in float far;\n"
           "out vec2 moments;\n"
           "void main() {\n"
           "  vec2 slope = vec2(dFdx(far), dFdy(far));\n"
           "  moments = vec2(far, far * far + min(0.25 * dot(slope, slope), 1.0));\n"
           "}\n";

static const char screen_vertex[] =
    HEADER "void main() {\n"
           "  gl_Position = vec4(vec2((gl_VertexID & 1) * 2, gl_VertexID & 2) * 2.0 - 1.0, 0, 1);\n"
           "}\n";

/* Gauss over seven pixels: along x out of the layers, along y out of the image. */
static const char blur_fragment[] = HEADER
    "uniform sampler2DArray moments;\n"
    "uniform sampler2D image;\n"
    "uniform vec4 blur;\n" /* 0 x, 1 y; layer; pixels of the map */
    "out vec2 sum;\n"
    "void main() {\n"
    "  const float weight[4] = float[](0.2707, 0.2167, 0.1112, 0.03675);\n"
    "  ivec2 at = ivec2(gl_FragCoord.xy), last = ivec2(blur.z) - 1;\n"
    "  sum = vec2(0);\n"
    "  for (int i = -3; i <= 3; i++) {\n"
    "    ivec2 from = clamp(at + (blur.x < 0.5 ? ivec2(i, 0) : ivec2(0, i)), ivec2(0), last);\n"
    "    vec2 v = blur.x < 0.5 ? texelFetch(moments, ivec3(from, int(blur.y)), 0).rg\n"
    "                          : texelFetch(image, from, 0).rg;\n"
    "    sum += weight[abs(i)] * v;\n"
    "  }\n"
    "}\n";

/* blur: corner, layer, pixels; range: pixels of the map, of the texture */
static const char map_fragment[] =
    HEADER "uniform sampler2DArray moments;\n"
           "uniform vec4 blur;\n"
           "uniform vec2 range;\n"
           "out vec4 pixel;\n"
           "void main() {\n"
           "  vec2 at = (gl_FragCoord.xy - blur.xy) / blur.w * range.x / range.y;\n"
           "  pixel = vec4(vec3(texture(moments, vec3(at, blur.z)).r), 1);\n"
           "}\n";

/* ---- translucent surfaces in any order ---- */

static const char oit_fragment[] =
    HEADER "uniform sampler2D image, moments;\n"
           "out vec4 pixel;\n"
           "void main() {\n"
           "  ivec2 at = ivec2(gl_FragCoord.xy);\n"
           "  vec4 sum = texelFetch(image, at, 0);\n"
           "  if (sum.a >= 1.0) discard;\n"
           "  pixel = vec4(sum.rgb / max(texelFetch(moments, at, 0).r, 1e-5), 1.0 - sum.a);\n"
           "}\n";

const ShaderText shader_texts[N_PROGRAMS] = {
    [PROGRAM_MESH] = {"mesh", mesh_vertex, NULL, mesh_fragment},
    [PROGRAM_LINES] = {"lines", lines_vertex, lines_geometry, color_fragment},
    [PROGRAM_SPRITE] = {"sprite", sprite_vertex, sprite_geometry, sprite_fragment},
    [PROGRAM_TEXT] = {"text", text_vertex, NULL, text_fragment},
    [PROGRAM_BACKGROUND] = {"background", background_vertex, NULL, background_fragment},
    [PROGRAM_DEPTH] = {"depth", depth_vertex, NULL, depth_fragment},
    [PROGRAM_BLUR] = {"blur", screen_vertex, NULL, blur_fragment},
    [PROGRAM_MAP] = {"map", screen_vertex, NULL, map_fragment},
    [PROGRAM_MESH_OIT] = {"translucent mesh", mesh_vertex, NULL, mesh_oit_fragment},
    [PROGRAM_OIT] = {"sums", screen_vertex, NULL, oit_fragment},
};
