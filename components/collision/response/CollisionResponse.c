/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CollisionResponse: the same response to all contacts. */
#include "components/collision/response/contact_manager.h"

SOFA_CLASS(CollisionResponse) = {
    .name = "CollisionResponse",
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "CollisionAlgorithm",
    .help = "Makes a contact object of one class for every pair of collision models that touch.",
    .base = &contact_manager_class,
    .size = sizeof(ContactManager),
};
