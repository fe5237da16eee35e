// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func fetchAll(at *uintptr, n int)
TEXT ·fetchAll(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ n+8(FP), CX
	SUBQ $2, CX
	JLT  done

more:
	MOVQ       0(AX)(CX*8), BX
	MOVQ       8(AX)(CX*8), DX
	PREFETCHT0 (BX)
	PREFETCHT0 (DX)
	SUBQ       $2, CX
	JGE        more

done:
	RET

// func fetchItems(lists *Rows, n int, i uintptr)
TEXT ·fetchItems(SB), NOSPLIT, $0-24
	MOVQ lists+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ i+16(FP), DX
	SUBQ $1, CX
	JLT  done

more:
	MOVQ       8(AX), SI
	MOVQ       DX, BX
	IMULQ      SI, BX
	ADDQ       0(AX), BX
	PREFETCHT0 (BX)
	PREFETCHT0 -1(BX)(SI*1)
	ADDQ       $16, AX
	SUBQ       $1, CX
	JGE        more

done:
	RET
