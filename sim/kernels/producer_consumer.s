// Pairs of neighbouring threads of a warp: the even one produces, the odd one consumes, a flag says whose turn it is.
//
// Each side waits for the other again and again, and both are in one warp. Whichever side the plain stack runs first waits
// for ever (the producer after its first item). A last thread without a neighbour has nothing to do.

.kernel producer_consumer "flags between threads of a warp: each side waits for the other"
.param items = 4 "items that each producer makes"
.memory flag, ctas * ((block_threads + 1) / 2)
.memory data, ctas * ((block_threads + 1) / 2)
.memory sum, ctas * ((block_threads + 1) / 2)
.block 32
.stack_hangs taken, not_taken, smaller, larger
.expect flag = fill 0
.check consumers_got_every_item

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        OR      R3, R2, 1
        ISETP.GE.U P0, R3, R1           // the partner does not exist
        @P0 EXIT
        IMAD    R0, R0, R1, R2
        IADD    R3, R1, 1
        SHR.U   R3, R3, 1               // pairs of a CTA
        S2R     R4, %cta
        SHR.U   R5, R2, 1
        IMAD    R3, R3, R4, R5          // the pair
        PARAM   R10, flag
        PARAM   R11, data
        PARAM   R12, sum
        IMAD    R10, R3, 4, R10
        IMAD    R11, R3, 4, R11
        IMAD    R12, R3, 4, R12
        PARAM   R13, items
        MOV     R4, 0                   // item
        MOV     R7, 0                   // sum
        MOV     R8, 1
        AND     R5, R2, 1
        ISETP.NE.U P1, R5, 0

        SSY     join
        @P1 BRA consumer

        PBK     produced
produce:
        ISETP.GE.U P0, R4, R13
        @P0 BRK produced
        PBK     empty
wait_empty:
        LD.GLOBAL.W R5, [R10]
        ISETP.EQ.U P0, R5, 0
        @P0 BRK empty
        YIELD
        BRA     wait_empty
empty:
        IMAD    R6, R4, 3, R0           // the item: 3 * number + thread
        ST.GLOBAL.W [R11], R6
        FENCE
        ST.GLOBAL.W [R10], R8
        IADD    R4, R4, 1
        YIELD
        BRA     produce
produced:
        SYNC    join

consumer:
        PBK     consumed
consume:
        ISETP.GE.U P0, R4, R13
        @P0 BRK consumed
        PBK     full
wait_full:
        LD.GLOBAL.W R5, [R10]
        ISETP.NE.U P0, R5, 0
        @P0 BRK full
        YIELD
        BRA     wait_full
full:
        LD.GLOBAL.W R6, [R11]
        IADD    R7, R7, R6
        FENCE
        ST.GLOBAL.W [R10], RZ
        IADD    R4, R4, 1
        YIELD
        BRA     consume
consumed:
        ST.GLOBAL.W [R12], R7
        SYNC    join

join:
        EXIT
