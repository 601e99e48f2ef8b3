// Stream compaction that keeps the order: the threads whose value is below a bound append it to their CTA's list, one after the
// other in logical order.
//
// The guard of the top is who takes part: the others go on behind the bottom at once. Inside the section a plain load, add and store are
// enough, because nobody else of the CTA is inside.

.kernel compaction "an ordered section: what is kept stays in order"
.param bound = 50 "values below it are kept"
.memory value, threads = random 7, 100
.memory kept, threads = fill 0xffffffff
.memory count, ctas
.grid 3
.block 64
.check compaction

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, value
        IMAD    R4, R3, 4, R4
        LD.GLOBAL.W R4, [R4]
        PARAM   R5, bound
        ISETP.LT.U P0, R4, R5
        PARAM   R6, count
        IMAD    R6, R0, 4, R6           // length of this CTA's list
        IMAD    R7, R0, R1, RZ
        PARAM   R8, kept
        IMAD    R8, R7, 4, R8           // the list

        @P0 BARRIER.ORDERED 0, after
        LD.GLOBAL.W R9, [R6]
        IMAD    R10, R9, 4, R8
        ST.GLOBAL.W [R10], R4
        IADD    R9, R9, 1
        ST.GLOBAL.W [R6], R9
        BARRIER.BOTTOM 0
after:
        EXIT
