/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fixed-base tables of G1 and G2. */
#include "base/mem.h"
#include "curve/curve.h"

#include <string.h>

#define TABLE_G g1
#define TABLE_AFFINE G1Affine
#define TABLE_XYZZ G1Xyzz
#define TABLE_FIELD Fp
#include "curve/table_tmpl.h"

#define TABLE_G g2
#define TABLE_AFFINE G2Affine
#define TABLE_XYZZ G2Xyzz
#define TABLE_FIELD Fp2
#include "curve/table_tmpl.h"
