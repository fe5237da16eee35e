// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetch(first, last uintptr)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ       first+0(FP), AX
	MOVQ       last+8(FP), CX
	PREFETCHT0 (AX)
	PREFETCHT0 (CX)
	RET

// func fetchAll(at *uintptr, n int)
TEXT ·fetchAll(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ n+8(FP), CX
	LEAQ (AX)(CX*8), CX

more:
	CMPQ       AX, CX
	JGE        done
	MOVQ       0(AX), BX
	MOVQ       8(AX), DX
	PREFETCHT0 (BX)
	PREFETCHT0 (DX)
	ADDQ       $16, AX
	JMP        more

done:
	RET
