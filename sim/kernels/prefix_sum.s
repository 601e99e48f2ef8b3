// A prefix sum over the whole grid in one pass. Each thread adds up its piece, each CTA scans the sums of its threads, and hands the sum so far to
// the CTA that comes next, which waits for it in a loop. CTAs draw numbers when they begin, so that none waits for one that has
// not begun.

.kernel prefix_sum "a prefix sum in one pass: each CTA waits for the one before it"
.param items = 3 "words of a thread"
.size real items = 64
.memory drawn, 1
.memory ready, ctas + 1 = 1, 0
.memory before, ctas + 1
.memory value, threads * items = random 3, 1000
.memory sum, threads * items = fill 0xffffffff
.shared 8 + block_threads * 4
.block 128
.check prefix_sum

        S2R     R1, %block
        S2R     R2, %logical
        PARAM   R3, items
        PARAM   R20, drawn
        MOV     R21, 1
        ISETP.NE.U P6, R2, 0
        SSY     numbered
        @P6 SYNC numbered
        ATOM.GLOBAL.ADD R0, [R20], R21
        ST.SHARED.W [RZ], R0
        FENCE
        SYNC    numbered
numbered:
        BARRIER.CONDITIONAL 0, known
known:
        LD.SHARED.W R0, [RZ]            // number of the CTA
        IMAD    R4, R0, R1, R2
        IMAD    R4, R4, R3, RZ
        SHL     R4, R4, 2               // the piece
        PARAM   R5, value
        IADD    R5, R5, R4
        PARAM   R6, sum
        IADD    R6, R6, R4
        MOV     R7, 0                   // sum of the piece
        MOV     R8, R3
        MOV     R9, R5
        PBK     added
add:
        ISETP.EQ.U P0, R8, 0
        @P0 BRK added
        LD.GLOBAL.W R10, [R9]
        IADD    R7, R7, R10
        IADD    R9, R9, 4
        ISUB    R8, R8, 1
        YIELD
        BRA     add
added:
        MOV     R11, R7                 // sum of the pieces up to this one
        SHL     R12, R2, 2
        IADD    R12, R12, 8             // place in shared memory
        MOV     R13, 1                  // distance
step:
        ISETP.GE.U P0, R13, R1          // the same for the whole CTA
        @P0 BRA scanned
        ST.SHARED.W [R12], R11
        BARRIER.CONDITIONAL 0, written
written:
        ISETP.GE.U P1, R2, R13
        SHL     R14, R13, 2
        ISUB    R14, R12, R14
        MOV     R15, 0
        @P1 LD.SHARED.W R15, [R14]
        IADD    R11, R11, R15
        BARRIER.CONDITIONAL 0, read
read:
        SHL     R13, R13, 1
        BRA     step
scanned:
        IADD    R15, R2, 1
        ISETP.NE.U P6, R15, R1
        SSY     handed
        @P6 SYNC handed                 // the last thread knows the sum of the CTA
        PARAM   R16, ready
        IMAD    R16, R0, 4, R16
        PARAM   R17, before
        IMAD    R17, R0, 4, R17
        PBK     came
wait:
        LD.GLOBAL.W R18, [R16]
        ISETP.NE.U P0, R18, 0
        @P0 BRK came
        YIELD
        BRA     wait
came:
        LD.GLOBAL.W R18, [R17]          // what all CTAs before this one add up to
        ST.SHARED.W [RZ + 4], R18
        IADD    R18, R18, R11
        ST.GLOBAL.W [R17 + 4], R18
        FENCE
        ST.GLOBAL.W [R16 + 4], R21
        SYNC    handed
handed:
        FENCE
        BARRIER.CONDITIONAL 0, go
go:
        LD.SHARED.W R18, [RZ + 4]
        IADD    R11, R11, R18
        ISUB    R11, R11, R7            // what comes before this piece
        MOV     R8, R3
        PBK     done
write:
        ISETP.EQ.U P0, R8, 0
        @P0 BRK done
        LD.GLOBAL.W R10, [R5]
        IADD    R11, R11, R10
        ST.GLOBAL.W [R6], R11
        IADD    R5, R5, 4
        IADD    R6, R6, 4
        ISUB    R8, R8, 1
        YIELD
        BRA     write
done:
        EXIT
