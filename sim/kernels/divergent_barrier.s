// Barriers inside divergent code: each side of an `if` waits for the threads of its own side in all warps, then both meet, then the
// whole CTA waits. A thread that sleeps leaves no token behind, so the other side of the branch runs meanwhile.

.kernel divergent_barrier "barriers on both sides of a branch, and behind it"
.memory result, threads = fill 0xffffffff
.shared 12
.grid 2
.block 96
.check divergent_barrier

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, result
        IMAD    R4, R3, 4, R4
        MOV     R10, 1
        SHR.U   R5, R1, 1               // threads of odd rank
        ISUB    R6, R1, R5              // threads of even rank
        BARRIER.CONF 0, condition 2, reference R6
        BARRIER.CONF 1, condition 2, reference R5
        AND     R7, R2, 1
        ISETP.NE.U P0, R7, 0

        SSY     meet
        @P0 BRA odd
        ATOM.SHARED.ADD R9, [RZ], R10
        BARRIER.CONDITIONAL 0, all_even
all_even:
        LD.SHARED.W R8, [RZ]            // every even thread has counted
        SYNC    meet
odd:
        ATOM.SHARED.ADD R9, [RZ + 4], R10
        BARRIER.CONDITIONAL 1, all_odd
all_odd:
        LD.SHARED.W R8, [RZ + 4]
        SYNC    meet
meet:
        ATOM.SHARED.ADD R9, [RZ + 8], R8
        BARRIER.CONDITIONAL 2, all
all:
        LD.SHARED.W R9, [RZ + 8]
        IMAD    R8, R8, 1000, R9
        ST.GLOBAL.W [R4], R8
        EXIT
