// A prefix sum of each CTA by doubling distances, with a barrier before and behind every step. Several CTAs are resident, and all of
// them use barrier 0: a barrier belongs to its CTA.

.kernel block_scan "a prefix sum: the barriers of several CTAs at once"
.memory value, threads = random 3, 1000
.memory sum, threads
.shared block_threads * 4
.grid 5
.block 64
.check block_scan

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, value
        IMAD    R4, R3, 4, R4
        LD.GLOBAL.W R5, [R4]            // running sum
        SHL     R6, R2, 2               // place in shared memory
        MOV     R7, 1                   // distance
        PBK     done
step:
        ISETP.GE.U P0, R7, R1
        @P0 BRK done
        ST.SHARED.W [R6], R5
        BARRIER.CONDITIONAL 0, written
written:
        ISETP.GE.U P1, R2, R7
        SHL     R8, R7, 2
        ISUB    R8, R6, R8
        MOV     R9, 0
        @P1 LD.SHARED.W R9, [R8]
        IADD    R5, R5, R9
        BARRIER.CONDITIONAL 0, read
read:
        SHL     R7, R7, 1
        BRA     step
done:
        PARAM   R4, sum
        IMAD    R4, R3, 4, R4
        ST.GLOBAL.W [R4], R5
        EXIT
