# SPDX-License-Identifier: LGPL-2.1-or-later
"""The names of SofaPython3 for threads. Those of a step are chosen with the context
(csofa.Context(threads=4), runcsofa --threads 4); results do not depend on their number."""
import os


class TaskScheduler:
    @staticmethod
    def GetHardwareThreadsCount():
        return os.cpu_count() or 1

    @staticmethod
    def init(n_threads=0):
        """Nothing: see above."""

    @staticmethod
    def stop():
        """Nothing: threads end with their context."""

    @staticmethod
    def getThreadCount():
        from . import Core
        return Core.shared_context().threads
