// A five-point stencil on an image that is cut into tiles, a CTA each, of which only the live ones change.
//
// A bit for each tile says which are live. With `predicated` = 1 these bits are the work distributor's predicate table, and dead tiles are not
// launched. With 0 every tile is launched, looks its bit up, and exits if it is dead. The results are the same: `cargo sim sparse` shows
// what differs.

.kernel stencil_sparse "a stencil on the tiles that a predicate table picks"
.param predicated = 1 "0: every tile is launched, and dead ones exit early"
.param percent = 20 "chance of a tile to be live"
.memory image, threads = random 3, 1000
.memory result, threads = fill 0xffffffff
.memory live, (grid_x + 63) / 64 * 2 * grid_y * grid_z = sparse 11, percent
.predicate live, predicated
.grid 72, 6
.block 8, 4
.check stencil_sparse

        PARAM   R0, predicated
        S2R     R1, %cta_x
        S2R     R2, %cta_y
        S2R     R3, %cta_z
        S2R     R4, %grid_x
        S2R     R5, %grid_y
        ISETP.NE.U P0, R0, 0
        @P0 BRA work                    // the distributor has looked the bit up
        IMAD    R6, R3, R5, R2          // row of tiles
        IADD    R7, R4, 63
        SHR.U   R7, R7, 6               // each begins a word of 64 bits
        IMAD    R6, R6, R7, RZ
        PARAM   R8, live
        IMAD    R6, R6, 8, R8
        SHR.U   R7, R1, 5
        IMAD    R6, R7, 4, R6
        LD.GLOBAL.W R6, [R6]
        AND     R7, R1, 31
        SHR.U   R6, R6, R7
        AND     R6, R6, 1
        ISETP.EQ.U P0, R6, 0
        @P0 EXIT

work:
        S2R     R6, %block_x
        S2R     R7, %block_y
        S2R     R8, %block_z
        S2R     R9, %thread_x
        S2R     R10, %thread_y
        S2R     R11, %thread_z
        IMAD    R1, R1, R6, R9          // x
        IMAD    R2, R2, R7, R10         // y
        IMAD    R3, R3, R8, R11         // plane
        IMAD    R4, R4, R6, RZ          // width of the image
        IMAD    R5, R5, R7, RZ          // height
        IMAD    R3, R3, R5, R2
        IMAD    R3, R3, R4, R1          // number of the point
        PARAM   R6, image
        IMAD    R6, R3, 4, R6
        SHL     R7, R4, 2               // bytes of a row
        ISUB    R8, R6, R7
        IADD    R9, R6, R7
        ISUB    R4, R4, 1
        ISUB    R5, R5, 1
        LD.GLOBAL.W R10, [R6]
        MOV     R11, R10                // at an edge the point stands for the neighbour that is missing
        MOV     R12, R10
        MOV     R13, R10
        MOV     R14, R10
        ISETP.NE.U P0, R1, 0
        ISETP.NE.U P1, R1, R4
        ISETP.NE.U P2, R2, 0
        ISETP.NE.U P3, R2, R5
        @P0 LD.GLOBAL.W R11, [R6 - 4]
        @P1 LD.GLOBAL.W R12, [R6 + 4]
        @P2 LD.GLOBAL.W R13, [R8]
        @P3 LD.GLOBAL.W R14, [R9]
        SHL     R10, R10, 2
        ISUB    R10, R10, R11
        ISUB    R10, R10, R12
        ISUB    R10, R10, R13
        ISUB    R10, R10, R14
        PARAM   R6, result
        IMAD    R6, R3, 4, R6
        ST.GLOBAL.W [R6], R10
        EXIT
