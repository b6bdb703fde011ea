# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers: components written in Python that events call."""


class Controller:
    """A component that events call: onSimulationInitDoneEvent(event), onAnimateBeginEvent,
    onAnimateEndEvent, onKeypressedEvent, onKeyreleasedEvent, else onEvent. An event is a dict: type, isHandled, dt
    (steps), key (keys). A name is a keyword; other keywords are the class's own. What saveState()
    returns (bytes or a value of JSON) is part of saved states; restoreState(value) gets it."""

    def __init__(self, *args, name=None, listening=True, **kwargs):
        self.__dict__.update(_name=name or type(self).__name__, listening=listening, _node=None,
                             _initialised=False)

    # what a class overrides
    def init(self):
        pass

    def bwdInit(self):
        pass

    def reset(self):
        pass

    def getName(self):
        return self._name

    def getContext(self):
        """The node that it was added to."""
        return self._node

    @property
    def _node_id(self):
        return self._node._id if self._node is not None else 0

    def _enter(self, node):
        if self._node is not None:
            raise ValueError(f"{self!r} is in a scene already")
        self.__dict__["_node"] = node
        node._scene._controllers.append(self)
        node._scene._listen()
        node._scene._keep(self)
        return self

    def _init_once(self):
        if not self._initialised:
            self.__dict__["_initialised"] = True
            self.init()

    def _handle(self, kind, event):
        if not self.listening:
            return
        handler = getattr(self, "on" + kind, None) or getattr(self, "onEvent", None)
        if handler is not None:
            handler(event)

    def __repr__(self):
        place = self._node.getPathName().rstrip("/") if self._node is not None else "not added"
        return f"<{type(self).__name__} {place}/{self._name}>"
