// Two barriers of one CTA that complete in adjacent cycles: warps of even number meet in one, those of odd number in the other, and both sorts
// arrive at the same pace.

.kernel adjacent_ids "two barriers complete in adjacent cycles"
.param rounds = 8 "times that everybody meets"
.memory early, threads
.shared 16
.grid 2
.block 128
.expect early = fill 1

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R5, early
        IMAD    R5, R3, 4, R5
        PARAM   R6, rounds
        MOV     R10, 1
        S2R     R4, %warp
        AND     R4, R4, 1
        SHL     R4, R4, 2               // the half's words: its size, and how many have come
        ATOM.SHARED.ADD R7, [R4], R10
        BARRIER.CONDITIONAL 2, counted
counted:
        LD.SHARED.W R8, [R4]            // threads of this half
        ISETP.NE.U P2, R4, 0
        @!P2 BARRIER.CONF 0, condition 2, reference R8
        @P2 BARRIER.CONF 1, condition 2, reference R8
        MOV     R9, 0
round:
        IADD    R9, R9, 1
        ATOM.SHARED.ADD R7, [R4 + 8], R10
        @P2 BRA odd
        BARRIER.CONDITIONAL 0, even_met
even_met:
        BRA     met
odd:
        BARRIER.CONDITIONAL 1, odd_met
odd_met:
met:
        IMAD    R11, R9, R8, RZ         // all of this half have come so often
        LD.SHARED.W R12, [R4 + 8]
        ISETP.LT.U P1, R12, R11
        LD.GLOBAL.W R13, [R5]
        @P1 IADD R13, R13, 1
        ST.GLOBAL.W [R5], R13
        ISETP.LT.U P0, R9, R6
        @P0 BRA round
        PARAM   R7, early
        IMAD    R7, R3, 4, R7
        IADD    R13, R13, 1             // 1: it has come through and was never early
        ST.GLOBAL.W [R7], R13
        EXIT
