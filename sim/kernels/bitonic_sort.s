// A bitonic sort: every CTA sorts its tile in shared memory. Which of two words a thread exchanges depends on their order; who takes part in a step,
// on the thread's number. A barrier stands between any two steps.

.kernel bitonic_sort "bitonic sort: a barrier for every step, exchanges where the data want them"
.param items = 64 "words of a tile: a power of two, 4096 at most"
.size real items = 1024
.memory tile, ctas * items = random 61, 100000
.shared items * 4
.block 128
.check bitonic_sort

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        PARAM   R3, items
        PARAM   R4, tile
        IMAD    R5, R0, R3, RZ
        IMAD    R4, R5, 4, R4           // the tile
        MOV     R5, R2
        PBK     loaded
load:
        ISETP.GE.U P0, R5, R3
        @P0 BRK loaded
        SHL     R6, R5, 2
        IADD    R7, R6, R4
        LD.GLOBAL.W R7, [R7]
        ST.SHARED.W [R6], R7
        IADD    R5, R5, R1
        YIELD
        BRA     load
loaded:
        FENCE
        BARRIER.CONDITIONAL 0, in_shared
in_shared:
        MOV     R8, 2                   // words of a run that is sorted up or down
run:
        ISETP.GT.U P0, R8, R3           // this and the next loop are the same for the whole CTA
        @P0 BRA sorted
        SHR.U   R9, R8, 1               // distance of the two words
distance:
        MOV     R5, R2
        PBK     compared
word:
        ISETP.GE.U P0, R5, R3
        @P0 BRK compared
        SSY     exchanged
        XOR     R10, R5, R9
        ISETP.LE.U P0, R10, R5
        @P0 SYNC exchanged              // the other one does it
        SHL     R11, R5, 2
        SHL     R12, R10, 2
        LD.SHARED.W R13, [R11]
        LD.SHARED.W R14, [R12]
        AND     R15, R5, R8
        ISETP.EQ.U P1, R15, 0           // this run goes up
        ISETP.GT.U P2, R13, R14
        MOV     R16, 1
        SEL     R15, R16, 0, P1
        SEL     R16, R16, 0, P2
        ISETP.NE.U P0, R15, R16
        @P0 SYNC exchanged              // in order
        ST.SHARED.W [R11], R14
        ST.SHARED.W [R12], R13
        SYNC    exchanged
exchanged:
        IADD    R5, R5, R1
        YIELD
        BRA     word
compared:
        FENCE
        BARRIER.CONDITIONAL 0, stepped
stepped:
        SHR.U   R9, R9, 1
        ISETP.NE.U P0, R9, 0
        @P0 BRA distance
        SHL     R8, R8, 1
        BRA     run
sorted:
        MOV     R5, R2
        PBK     stored
store:
        ISETP.GE.U P0, R5, R3
        @P0 BRK stored
        SHL     R6, R5, 2
        LD.SHARED.W R7, [R6]
        IADD    R6, R6, R4
        ST.GLOBAL.W [R6], R7
        IADD    R5, R5, R1
        YIELD
        BRA     store
stored:
        EXIT
