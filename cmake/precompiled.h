/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers that most sources include, which the compiler reads once (CSOFA_PRECOMPILE). Each source
 * includes what it uses all the same. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "behavior/force_field.h"
#include "behavior/mass.h"
#include "behavior/state.h"
#include "object/node.h"
#include "topology/topology.h"
