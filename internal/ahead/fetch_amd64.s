// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetch(first, last uintptr)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ       first+0(FP), AX
	MOVQ       last+8(FP), CX
	PREFETCHT0 (AX)
	PREFETCHT0 (CX)
	RET
