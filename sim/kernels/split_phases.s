// Split phases: arriving and waiting are two instructions, with work between them. The last thread of each CTA plays the copy engine: it fills one
// of two buffers, and the phase ends when everybody has arrived and the announced copy is complete.

.kernel split_phases "arrive, work, wait; the phase also counts a copy"
.param steps = 6 "phases"
.memory result, threads
.shared 8
.grid 2
.block 64
.check split_phases

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, steps
        MOV     R5, 0                   // phase
        MOV     R6, 0                   // sum
        ISUB    R7, R1, 1
        ISETP.EQ.U P1, R2, R7           // the copy engine
        ISETP.EQ.U P2, R2, 0
        PBK     done
phase:
        ISETP.GE.U P0, R5, R4
        @P0 BRK done
        AND     R8, R5, 1               // its parity, and its buffer
        @P2 EXPECT 5, R8, 1             // before this thread arrives, so the phase cannot end without it
        ARRIVE  5
        IMAD    R9, R5, 5, R0
        IADD    R9, R9, 1
        SHL     R10, R8, 2
        @P1 ST.SHARED.W [R10], R9
        @P1 COMPLETE 5, R8, 1
        WAIT    5, R8
        LD.SHARED.W R9, [R10]
        IMAD    R6, R6, 3, R9
        IADD    R5, R5, 1
        BRA     phase
done:
        PARAM   R8, result
        IMAD    R8, R3, 4, R8
        ST.GLOBAL.W [R8], R6
        EXIT
