# SPDX-License-Identifier: LGPL-2.1-or-later
"""The gallery: pictures of chosen scenes with the command that draws them."""
from html import escape

import highlight
from layout import Page, relative
from markdown_page import slug

# scene, steps
CHOSEN = [
    ("demo/hook", 200),
    ("demo/friction", 60),
    ("contact/newtons_cradle", 60),
    ("collision/balls_on_a_ramp", 60),
    ("fem/plates", 50),
    ("fem/cantilever_hexahedra", 50),
    ("fem/plastic_bar", 40),
    ("IncrementalPotentialContact/falling_die", 60),
    ("SofaCaribou/falling_beam", 20),
    ("topology/TopologicalChangeProcessor", 40),
    ("springs/TriangularBendingSprings", 60),
    ("visual/LightManagerSoftShadows", 10),
    ("visual/OglModelTranslucent", 10),
    ("visual/DataDisplay", 20),
    ("visual/OglShader", 10),
]
STEPS = dict(CHOSEN)


def page(site):
    path, body, toc = "gallery.html", ["<h1>Gallery</h1>"], []
    body.append("<p>Scenes of the project and the command that draws each. Pictures need neither a display nor a graphics "
                "card.</p>")
    exhibits = []
    by_name = {scene.name: scene for scene in site.scenes}
    for name, steps in CHOSEN:
        scene = by_name.get(name)
        if not scene:
            raise SystemExit("gallery.py: there is no scene '%s'" % name)
        picture, why = site.pictures.get(scene.source, (None, "No picture was asked for."))
        id_ = slug(name.replace("/", " "))
        toc.append((2, id_, escape(name)))
        image = '<img src="%s" alt="%s" width="480" height="320" loading="lazy">' % (
            relative(path, picture), escape(name)) if picture else '<p class="nopicture">%s</p>' % escape(why)
        exhibits.append('<section class="exhibit"><h2 id="%s"><a href="%s">%s</a></h2><a href="%s">%s</a><p>%s</p>%s</section>' % (
            id_, relative(path, scene.page), escape(name), relative(path, scene.page), image, escape(scene.about),
            highlight.block(scene.command(steps).replace(scene.file.rsplit("/", 1)[-1], scene.source), "sh")))
    body.append('<div class="exhibits">%s</div>' % "\n".join(exhibits))
    return Page(path, "Gallery", "\n".join(body), toc, "Pictures of scenes with their commands.")
