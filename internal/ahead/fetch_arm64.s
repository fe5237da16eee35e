// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetch(at, bytes uintptr)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD bytes+8(FP), R1
	ADD  R0, R1, R1
	AND  $~63, R0, R0

line:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0, R0
	CMP  R1, R0
	BLO  line
	RET
