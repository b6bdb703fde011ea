#version 120
attribute float a1;
attribute vec2 a2;
attribute vec3 a3;
attribute vec4 a4;
varying float shade;

void main()
{
  shade = HALF + HALF * (a1 + a2.x) * HALF + a3.x + a4.w;
  gl_TexCoord[0] = gl_MultiTexCoord0;
  gl_Position = ftransform();
}
