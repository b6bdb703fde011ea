#version 120
uniform sampler2D pattern;
uniform float tints[2];
uniform mat3 mixture;
varying vec3 normal;
varying vec3 place;
varying float h;

void main()
{
  vec3 n = normalize(normal);
  vec3 l = normalize(gl_LightSource[0].position.xyz - place * gl_LightSource[0].position.w);
  vec3 color = mixture * gl_Color.rgb * (gl_FrontMaterial.ambient.rgb + max(dot(n, l), 0.0));
  vec3 image = texture2D(pattern, 2.0 * gl_TexCoord[0].st).rgb;
  gl_FragColor = vec4(mix(color * tints[0], image, tints[1] * h), 1.0);
}
