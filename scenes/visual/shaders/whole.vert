#version 130
in int a1;
in ivec2 a2;
in ivec3 a3;
in ivec4 a4;
in uint u1;
in uvec2 u2;
in uvec3 u3;
in uvec4 u4;
out vec3 tint;

void main()
{
  uint zero = u2.y + u3.z + u4.w + uint(a3.z + a4.w);
  tint = vec3(float(a1), float(a2.y), float(u1 + zero) * 0.5);
  gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
}
