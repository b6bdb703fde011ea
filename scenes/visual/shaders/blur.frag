#version 120
// The farther, the more it is blurred.
uniform sampler2D colorTexture;
uniform sampler2D depthTexture;
uniform vec2 pixelSize;

void main()
{
  vec2 at = gl_TexCoord[0].st;
  float reach = 4.0 * smoothstep(0.5, 0.95, texture2D(depthTexture, at).r);
  vec3 sum = vec3(0.0);
  for (int i = -2; i <= 2; i++)
    for (int j = -2; j <= 2; j++)
      sum += texture2D(colorTexture, at + reach * pixelSize * vec2(i, j)).rgb;
  gl_FragColor = vec4(sum / 25.0, 1.0);
}
