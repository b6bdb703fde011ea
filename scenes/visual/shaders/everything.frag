#version 120
uniform int i1;
uniform ivec2 i2;
uniform ivec3 i3;
uniform ivec4 i4;
uniform float f1;
uniform vec2 f2;
uniform vec3 f3;
uniform vec4 f4;
uniform int iv1[2];
uniform ivec2 iv2[2];
uniform ivec3 iv3[2];
uniform ivec4 iv4[2];
uniform float fv1[2];
uniform vec2 fv2[2];
uniform vec3 fv3[2];
uniform vec4 fv4[2];
uniform mat2 m2;
uniform mat3 m3;
uniform mat4 m4;
uniform mat2x3 m23;
uniform mat3x2 m32;
uniform mat2x4 m24;
uniform mat4x2 m42;
uniform mat3x4 m34;
uniform mat4x3 m43;
uniform mat4 m4v[1];
uniform sampler2D image;
uniform sampler2D checker;
uniform sampler2D again;
varying float shade;

void main()
{
  // all of them are 1 where they are looked at
  float n = float(i1 * i2.y * i3.z * i4.w * iv1[1] * iv2[1].y * iv3[1].z * iv4[1].w);
  n *= f1 * f2.y * f3.z * f4.w * fv1[1] * fv2[1].y * fv3[1].z * fv4[1].w;
  n *= m2[1][1] * m3[2][2] * m4[3][3] * m23[1][1] * m32[1][1] * m24[1][1] * m42[1][1];
  n *= m34[2][2] * m43[2][2] * m4v[0][3][3];
  vec2 at = gl_TexCoord[0].st;
  vec3 color = at.x < 0.5 ? texture2D(image, at).rgb : texture2D(again, at.ts).rgb;
  gl_FragColor = vec4(n * shade * color * (0.5 + 0.5 * texture2D(checker, at).r), 1.0);
}
