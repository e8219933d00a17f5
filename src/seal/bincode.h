/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Vanilla proofs of spacetime and of updates as clients send them: bincode (little-endian, fixed
 * width, u64 lengths, u32 variants). */
#ifndef CUZK_SEAL_BINCODE_H
#define CUZK_SEAL_BINCODE_H

#include "filecoin/post_vanilla.h"
#include "filecoin/snap_vanilla.h"

/* One sector's FallbackPoStSectorProof; one partition's PartitionProof. *bytes is the caller's to
 * free. */
Status post_sector_encode(const PostSectorVanilla *sector, uint8_t **bytes, size_t *size);
Status snap_encode(const SnapVanilla *partition, uint8_t **bytes, size_t *size);

#endif
