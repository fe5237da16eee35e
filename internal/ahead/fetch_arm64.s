// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetch(first, last uintptr)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVD first+0(FP), R0
	MOVD last+8(FP), R1
	PRFM (R0), PLDL1KEEP
	PRFM (R1), PLDL1KEEP
	RET
