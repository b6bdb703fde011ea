uniform sampler2D colorTexture, depthTexture;
uniform vec2 pixelSize;
void main() { vec2 at = gl_TexCoord[0].st; gl_FragColor = vec4(texture2D(depthTexture, at).r < 1.0 ? 1.0 : 0.0, 80.0 * pixelSize.x, texture2D(colorTexture, at).r, 1); }
