# SPDX-License-Identifier: LGPL-2.1-or-later
"""Moves the graph of one scene into another: both are described in XML, which is made again."""
import xml.etree.ElementTree as ElementTree


def move(root, parent):
    """Makes the graph below the root of a scene again below a node of another scene. Objects of
    Python that stand for it then stand for the new one."""
    old, new = root._scene, parent._scene
    if old._root(root._kinds()) != root:
        raise ValueError(f"{root!r} is not the root of a scene")
    known = [(key, handle, handle.getPathName()) for key, handle in list(old._known.items())]
    tree = ElementTree.fromstring(old.xml())
    made = _node(parent, tree, None)
    prefix = made.getPathName()
    for _key, handle, path in known:
        found = made if path in ("/", "") else made.find(prefix + path)
        if found is not None:
            object.__setattr__(handle, "_scene", new)
            object.__setattr__(handle, "_id", found._id)
    for handle in old.__dict__.pop("_kept", {}).values():
        new.__dict__.setdefault("_kept", {})[handle._id] = handle
    for controller in old._controllers:
        new._controllers.append(controller)
        new._listen()
        new._keep(controller)
    old._controllers = []
    old._held = None
    for controller in new._controllers:
        if getattr(controller, "_object", None) is not None:  # it was made again
            controller._connect()
    for key, handle, _path in known:
        new._known[(handle._id, key[1])] = handle
    return new._wrap(made._id, root._kinds())


def _node(parent, element, prefix):
    values = dict(element.attrib)
    name = values.pop("name", "node")
    made = parent.add_node(name, **{k: _moved(v, prefix) for k, v in values.items()
                                    if k not in ("dt", "gravity")})
    below = made.getPathName() if prefix is None else prefix
    for child in element:
        if child.tag == "Node":
            _node(made, child, below)
        else:
            _object(made, child, below)
    return made


def _object(parent, element, prefix):
    values = {k: _moved(v, prefix) for k, v in element.attrib.items()}
    parent.add_object(element.tag, **values)


def _moved(value, prefix):
    return value.replace("@/", f"@{prefix}/") if prefix and value.startswith("@/") else value
