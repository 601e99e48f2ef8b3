// Late threads pass. The barrier wants every thread of the CTA, but waits 50 cycles only. Once it has gone ahead without some, it is
// invalidated, and they pass without waiting.

.kernel late_pass "an impatient barrier that went ahead is passed by late threads"
.param delay = 60 "turns of a loop that later warps spend before they arrive"
.memory arrived, ctas
.memory seen, threads
.memory result, threads = fill 0xffffffff
.grid 2
.block 96
.check late_pass

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, arrived
        IMAD    R4, R0, 4, R4
        PARAM   R5, seen
        IMAD    R5, R3, 4, R5
        PARAM   R6, result
        IMAD    R6, R3, 4, R6
        MOV     R10, 1
        BARRIER.CONF 4, condition 4, reference R1, timeout 50, late pass

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
        ATOM.GLOBAL.ADD R12, [R4], R10
        BARRIER.CONDITIONAL.IMPATIENT 4, after
        BARRIER.BOTTOM.CONDITIONAL 4
after:
        LD.GLOBAL.W R12, [R4]           // how many had arrived when this thread went on
        ST.GLOBAL.W [R5], R12
        ST.GLOBAL.W [R6], R3
        EXIT
