// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetch(at, bytes uintptr)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ bytes+8(FP), CX
	ADDQ AX, CX
	ANDQ $~63, AX

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	CMPQ AX, CX
	JCS  line
	RET
