#version 120
uniform sampler2D body;
uniform sampler2D edges;
uniform vec3 tint;

void main()
{
  vec2 at = gl_TexCoord[0].st;
  gl_FragColor = vec4(texture2D(body, at).rgb + tint * texture2D(edges, at).r, 1.0);
}
