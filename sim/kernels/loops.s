// A loop that every thread leaves at its own time, with continue and two ways to break.
//
// Thread t adds up i for i = 0, 1, …, skips every multiple of 3, stops after i = t, and stops as soon as the sum is over the
// limit. PBK collects those that left, PCNT those that end an iteration.

.kernel loops "break and continue, a trip count for each thread"
.param limit = 100 "a sum above this one ends the loop"
.memory result, threads
.block 32
.check loops

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        PARAM   R11, limit
        MOV     R3, 0                   // i
        MOV     R4, 0                   // i modulo 3
        MOV     R5, 0                   // sum

        PBK     done
loop:
        PCNT    next
        ISETP.GT.U P0, R3, R0
        @P0 BRK done
        ISETP.EQ.U P1, R4, 0
        @P1 CONT next
        IADD    R5, R5, R3
        ISETP.GT.U P2, R5, R11
        @P2 BRK done
        CONT    next
next:
        IADD    R3, R3, 1
        IADD    R4, R4, 1
        ISETP.EQ.U P0, R4, 3
        @P0 MOV R4, 0
        YIELD
        BRA     loop

done:
        ST.GLOBAL.W [R10], R5
        EXIT
