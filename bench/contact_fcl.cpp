// SPDX-License-Identifier: LGPL-2.1-or-later
// Collision of two surfaces, or of one surface and many bodies, by FCL: what a step costs when all
// vertices move. contact.py compiles and runs it where FCL is installed; no build needs it.
//
//   usage: contact_fcl STEPS FILE
//
// FILE: for each mesh "mesh VERTICES TRIANGLES", then 3 numbers per vertex, then 3 per triangle.
// Prints ms a step to move the meshes and fit their trees, ms to find the pairs of meshes and the
// pairs of triangles that intersect, and the number of the latter.
#include <fcl/fcl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using Model = fcl::BVHModel<fcl::AABB<double>>;
using Point = fcl::Vector3<double>;

struct Body {
  std::vector<Point> points;
  std::shared_ptr<Model> model;
  std::unique_ptr<fcl::CollisionObject<double>> object;
};

bool read_body(std::FILE *file, Body &body) {
  std::size_t n = 0, m = 0;
  if (std::fscanf(file, " mesh %zu %zu", &n, &m) != 2) return false;
  std::vector<fcl::Triangle> triangles(m);
  body.points.resize(n);
  for (Point &p : body.points)
    if (std::fscanf(file, "%lf %lf %lf", &p[0], &p[1], &p[2]) != 3) return false;
  for (fcl::Triangle &t : triangles) {
    std::size_t a, b, c;
    if (std::fscanf(file, "%zu %zu %zu", &a, &b, &c) != 3) return false;
    t.set(a, b, c);
  }
  body.model = std::make_shared<Model>();
  body.model->beginModel(static_cast<int>(m), static_cast<int>(n));
  body.model->addSubModel(body.points, triangles);
  body.model->endModel();
  body.object = std::make_unique<fcl::CollisionObject<double>>(body.model);
  return true;
}

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

struct Found {
  std::size_t triangles = 0;
};

bool test(fcl::CollisionObject<double> *a, fcl::CollisionObject<double> *b, void *user) {
  fcl::CollisionRequest<double> request(1 << 22, false);
  fcl::CollisionResult<double> result;
  fcl::collide(a, b, request, result);
  static_cast<Found *>(user)->triangles += result.numContacts();
  return false;
}

void move(Body &body, double by) {
  for (Point &p : body.points) p[1] += by;
  body.model->beginUpdateModel();
  body.model->updateSubModel(body.points);
  body.model->endUpdateModel(true, true);
  body.object->computeAABB();
}

} // namespace

int main(int argc, char **argv) {
  const int steps = argc == 3 ? std::atoi(argv[1]) : 0;
  std::FILE *file = argc == 3 ? std::fopen(argv[2], "r") : nullptr;
  if (!file || steps < 1) return 1;
  std::vector<Body> bodies;
  for (Body body; read_body(file, body); body = Body()) bodies.push_back(std::move(body));
  std::fclose(file);
  fcl::DynamicAABBTreeCollisionManager<double> manager;
  for (Body &body : bodies) manager.registerObject(body.object.get());
  manager.setup();
  double fit = 0, find = 0;
  Found found;
  for (int i = 0; i < steps; i++) {
    auto begin = std::chrono::steady_clock::now();
    for (std::size_t k = 1; k < bodies.size(); k++) move(bodies[k], i % 2 ? 1e-6 : -1e-6);
    manager.update();
    fit += ms_since(begin);
    begin = std::chrono::steady_clock::now();
    found = Found();
    manager.collide(&found, test);
    find += ms_since(begin);
  }
  std::printf("%.3f %.3f %zu\n", fit / steps, find / steps, found.triangles);
  return 0;
}
