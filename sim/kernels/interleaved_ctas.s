// Two CTAs with the same barrier id, whose warps arrive in turns: neither may count the other's threads.

.kernel interleaved_ctas "the arrivals of two CTAs interleave, warp by warp"
.param rounds = 8 "times that everybody meets"
.memory progress, threads
.memory early, threads
.grid 2
.block 64
.check ring

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, progress
        IMAD    R4, R3, 4, R4           // how far this thread is
        PARAM   R5, early
        IMAD    R5, R3, 4, R5           // how often it went on too early
        PARAM   R6, rounds
        PARAM   R7, progress
        IMAD    R8, R0, R1, RZ
        IMAD    R7, R8, 4, R7           // the CTA's threads
        MOV     R9, 0                   // round

round:
        IADD    R9, R9, 1
        ST.GLOBAL.W [R4], R9
        BARRIER.CONDITIONAL 0, met
met:
        ISUB    R11, R1, 1              // a thread half a CTA away, or the first: is it here as well?
        SHR.U   R11, R11, 1
        IADD    R11, R11, R2
        IADD    R11, R11, 1
        ISETP.GE.U P1, R11, R1
        SEL     R12, R1, RZ, P1
        ISUB    R11, R11, R12
        IMAD    R11, R11, 4, R7
        LD.GLOBAL.W R12, [R11]
        ISETP.LT.U P1, R12, R9
        LD.GLOBAL.W R13, [R5]
        @P1 IADD R13, R13, 1
        ST.GLOBAL.W [R5], R13
        ISETP.LT.U P0, R9, R6
        @P0 BRA round
        EXIT
