// A barrier for half of the threads: those of even rank pass a value round a ring in shared memory. Those of odd rank do not wait.
//
// Condition 3 counts participating threads. How many there are depends on the launch, so the reference comes from a register.

.kernel half_barrier "a conditional barrier for half of the threads"
.memory result, threads = fill 0xffffffff
.shared block_threads * 4
.grid 2
.block 96
.check half_barrier

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, result
        IMAD    R4, R3, 4, R4
        IADD    R5, R1, 1
        SHR.U   R5, R5, 1               // threads of even rank
        BARRIER.CONF 0, condition 3, reference R5

        AND     R6, R2, 1
        ISETP.EQ.U P0, R6, 0
        IMAD    R7, R3, 3, R5           // the value
        SHL     R8, R2, 2
        ST.SHARED.W [R8], R7
        @P0 BARRIER.CONDITIONAL 0, after
        IADD    R9, R2, 2               // the next even rank, round the ring
        ISETP.LT.U P1, R9, R1
        SEL     R9, R9, RZ, P1
        SHL     R9, R9, 2
        LD.SHARED.W R7, [R9]
        BARRIER.BOTTOM.CONDITIONAL 0
after:
        ST.GLOBAL.W [R4], R7
        EXIT
