#version 120
attribute vec3 restPosition;
attribute vec3 restNormal;
uniform mat4 modelMatrix;
varying vec3 tint;

void main()
{
  tint = vec3(restPosition.x - 1.0, 0.5 + 0.5 * restPosition.y, restNormal.z) * modelMatrix[0][0];
  gl_Position = ftransform();
}
