# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sweep: the same beam with several moduli; prints how far its end sinks, at rest."""
import beam
import csofa


def sweep(moduli):
    """Displacement of the end for each modulus, m."""
    context = csofa.Context()  # shared: options and messages are set once
    sags = []
    for modulus in moduli:
        with beam.make(modulus, solver="StaticSolver", context=context) as scene:
            scene.step()
            sags.append(beam.sag(scene))
    return sags


def main():
    moduli = [2000, 5000, 10000, 20000]
    for modulus, sag in zip(moduli, sweep(moduli)):
        print(f"{modulus:6d} Pa  {sag:.4f} m")


if __name__ == "__main__":
    main()
