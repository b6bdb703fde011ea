# SPDX-License-Identifier: LGPL-2.1-or-later
"""An environment for learning: reset() and step(action), as libraries for reinforcement learning
call them. A force pushes a damped mass; the reward is the closeness to a target. The policy is
found by random search."""
import csofa
import numpy as np

SCENE = """<Node name="root" dt="0.05" gravity="0 0 0">
  <DefaultAnimationLoop/>
  <Node name="body">
    <EulerImplicitSolver rayleighMass="0.2"/>
    <CGLinearSolver iterations="25" tolerance="1e-12" threshold="1e-12"/>
    <MechanicalObject name="state" position="0 0 0"/>
    <UniformMass totalMass="1"/>
  </Node>
</Node>"""


class Environment:
    """Observation: position and velocity, m and m/s. Action: a force along x in [-1, 1] N."""

    target = 1.0
    length = 100

    def __init__(self):
        self.scene = csofa.load_text(SCENE)
        self.state = self.scene["/body/state"]
        self.scene.init()

    def observe(self):
        return np.array([self.state.position[0, 0], self.state.velocity[0, 0]])

    def reset(self):
        self.scene.reset()
        return self.observe()

    def step(self, action):
        """observation, reward, done"""
        self.state.add_force(0, [float(np.clip(action, -1, 1)), 0, 0])
        self.scene.step()
        now = self.observe()
        return now, -abs(now[0] - self.target), self.scene.steps >= self.length


def play(environment, gains):
    """Sum of rewards of the policy: force = gains . (target - x, -v)."""
    now, total, done = environment.reset(), 0.0, False
    while not done:
        action = gains[0] * (environment.target - now[0]) - gains[1] * now[1]
        now, reward, done = environment.step(action)
        total += reward
    return total


def search(environment, n_trials, seed=0):
    """The best gains of a random search around the best ones so far."""
    random = np.random.default_rng(seed)
    best = np.zeros(2)
    most = play(environment, best)
    for _ in range(n_trials):
        gains = best + random.normal(scale=1.0, size=2)
        total = play(environment, gains)
        if total > most:
            best, most = gains, total
    return best, most


def main():
    environment = Environment()
    print(f"without a force: {play(environment, (0, 0)):.2f}")
    gains, total = search(environment, 60)
    print(f"gains {gains[0]:.2f} {gains[1]:.2f}: {total:.2f}")


if __name__ == "__main__":
    main()
