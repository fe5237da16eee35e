// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

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

// func fetchItems(lists *Rows, n int, i uintptr)
TEXT ·fetchItems(SB), NOSPLIT, $0-24
	MOVD lists+0(FP), R0
	MOVD n+8(FP), R1
	MOVD i+16(FP), R2

more:
	SUBS $1, R1
	BLT  done
	LDP  (R0), (R3, R4)
	MUL  R4, R2, R5
	ADD  R3, R5
	PRFM (R5), PLDL1KEEP
	ADD  R4, R5
	SUB  $1, R5
	PRFM (R5), PLDL1KEEP
	ADD  $16, R0
	B    more

done:
	RET
