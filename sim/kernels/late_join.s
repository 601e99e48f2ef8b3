// Late threads join. The section starts when half of the CTA has arrived. Who comes while it runs is taken in, perhaps out of order.

.kernel late_join "late threads join the section that runs"
.param delay = 40 "turns of a loop that later warps spend before they arrive"
.memory turns, ctas
.memory inside, ctas
.memory order, threads = fill 0xffffffff
.memory skipped, threads
.grid 2
.block 64
.check late_turns

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, order
        IMAD    R4, R3, 4, R4
        PARAM   R5, turns
        IMAD    R5, R0, 4, R5
        PARAM   R6, inside
        IMAD    R6, R0, 4, R6
        PARAM   R7, skipped
        IMAD    R7, R3, 4, R7
        MOV     R10, 1
        IADD    R8, R1, 1
        SHR.U   R8, R8, 1               // half of the CTA is enough
        BARRIER.CONF 3, condition 3, reference R8, late join

        S2R     R9, %warp               // every warp arrives later than the one before
        PARAM   R11, delay
        IMAD    R9, R9, R11, RZ
        PBK     arrive
later:
        ISETP.EQ.U P0, R9, 0
        @P0 BRK arrive
        ISUB    R9, R9, 1
        YIELD
        BRA     later
arrive:
        ST.GLOBAL.W [R7], R10
        BARRIER.ORDERED 3, after
        ST.GLOBAL.W [R7], RZ
        LD.GLOBAL.W R12, [R6]           // threads that are inside: nobody else
        IADD    R13, R12, 1
        ST.GLOBAL.W [R6], R13
        LD.GLOBAL.W R14, [R5]
        IADD    R13, R14, 1
        ST.GLOBAL.W [R5], R13
        IMAD    R14, R12, 1000, R14
        ST.GLOBAL.W [R4], R14           // this thread was number R14
        LD.GLOBAL.W R12, [R6]
        ISUB    R12, R12, 1
        ST.GLOBAL.W [R6], R12
        BARRIER.BOTTOM 3
after:
        EXIT
