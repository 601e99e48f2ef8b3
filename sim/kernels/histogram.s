// A histogram without atomics: an unordered section guards the CTA's bins. A thread that has counted its value goes on at once, since
// the bottom does not block.

.kernel histogram "an unordered section whose bottom does not block: a read, an add, a write for each thread"
.define BINS = 8
.memory value, threads = random 11, 8
.memory bin, ctas * 8
.memory result, threads
.grid 3
.block 64
.check histogram

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, value
        IMAD    R4, R3, 4, R4
        LD.GLOBAL.W R4, [R4]
        IMAD    R5, R0, BINS, R4
        PARAM   R6, bin
        IMAD    R6, R5, 4, R6

        BARRIER.UNORDERED.NONBLOCKING 1, after
        LD.GLOBAL.W R7, [R6]
        IADD    R7, R7, 1
        ST.GLOBAL.W [R6], R7
        BARRIER.BOTTOM 1
after:
        PARAM   R8, result
        IMAD    R8, R3, 4, R8
        IADD    R9, R3, 1
        ST.GLOBAL.W [R8], R9
        EXIT
