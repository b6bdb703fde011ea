// Old shading language on purpose: what scenes of SOFA use.
#version 120
attribute float height;
uniform vec3 shift;
varying vec3 normal;
varying vec3 place;
varying float h;

void main()
{
  vec4 p = gl_Vertex;
  p.xyz += SWELL * gl_Normal * height + shift;
  h = height;
  normal = gl_NormalMatrix * gl_Normal;
  place = (gl_ModelViewMatrix * p).xyz;
  gl_FrontColor = gl_Color;
  gl_TexCoord[0] = gl_MultiTexCoord0;
  gl_Position = gl_ModelViewProjectionMatrix * p;
}
