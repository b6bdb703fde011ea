#version 130
in vec3 tint;
out vec4 pixel;

void main()
{
  pixel = vec4(tint, 1.0);
}
