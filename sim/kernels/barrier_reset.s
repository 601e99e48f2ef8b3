// A hung barrier, and how to get out: the first warp's first thread of each CTA resets the barriers in which the others hang, until all of them
// have come through. Those of the conditional barrier go on behind its top, those of the section behind its bottom.
//
// The plain stack hangs: the thread that resets waits for those of its own warp, which cannot run before it is done.

.kernel barrier_reset "threads that hang in a barrier and in a section are freed"
.memory through, ctas
.memory inside, ctas
.memory result, threads = fill 0xffffffff
.grid 2
.block 64
.stack_hangs taken, not_taken, smaller, larger
.expect inside = fill 0
.expect result = each index

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, through
        IMAD    R4, R0, 4, R4
        PARAM   R5, inside
        IMAD    R5, R0, 4, R5
        PARAM   R6, result
        IMAD    R6, R3, 4, R6
        MOV     R10, 1
        BARRIER.CONF 6, condition 2, reference 1000
        BARRIER.CONF 7, condition 3, reference 1000
        ISETP.EQ.U P0, R2, 0
        @P0 BRA free
        BARRIER.CONDITIONAL 6, middle
middle:
        BARRIER.ORDERED 7, after
        ATOM.GLOBAL.ADD R7, [R5], R10   // nobody gets here
        BARRIER.BOTTOM 7
after:
        ATOM.GLOBAL.ADD R7, [R4], R10
        ST.GLOBAL.W [R6], R3
        EXIT

free:
        ISUB    R8, R1, 1
        PBK     freed
again:
        BARRIER.RESET 6
        BARRIER.RESET 7
        LD.GLOBAL.W R7, [R4]
        ISETP.EQ.U P1, R7, R8
        @P1 BRK freed
        YIELD
        BRA     again
freed:
        ST.GLOBAL.W [R6], R3
        EXIT
