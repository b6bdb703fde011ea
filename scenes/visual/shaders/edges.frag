#version 120
// Where the depth of the pass jumps.
uniform sampler2D marked_Z;
uniform int width;
uniform int height;

float depth(vec2 at)
{
  return texture2D(marked_Z, at).r < 1.0 ? 1.0 : 0.0;
}

void main()
{
  vec2 at = gl_TexCoord[0].st;
  vec2 d = 1.5 / vec2(width, height);
  float dx = depth(at + vec2(d.x, 0.0)) - depth(at - vec2(d.x, 0.0));
  float dy = depth(at + vec2(0.0, d.y)) - depth(at - vec2(0.0, d.y));
  gl_FragColor = vec4(vec3(min(abs(dx) + abs(dy), 1.0)), 1.0);
}
