// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetch(first, last uintptr)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVD first+0(FP), R0
	MOVD last+8(FP), R1
	PRFM (R0), PLDL1KEEP
	PRFM (R1), PLDL1KEEP
	RET

// func fetchAll(at *uintptr, n int)
TEXT ·fetchAll(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD n+8(FP), R1
	ADD  R1<<3, R0, R1

more:
	CMP  R1, R0
	BGE  done
	LDP  (R0), (R2, R3)
	PRFM (R2), PLDL1KEEP
	PRFM (R3), PLDL1KEEP
	ADD  $16, R0
	B    more

done:
	RET
