// A gather that likes company: the warps go through a table tile by tile, and look up words of the tile at random. As long as they work in
// neighbouring tiles, each finds in the cache what another has fetched. But now and then a warp needs words that only it uses, and waits for memory.
//
// Without a barrier the warps drift apart. A patient one keeps them together, and all of them wait for the slowest. An impatient one waits
// for a while and then lets those go on that are there; who comes later passes. The results are the same: `cargo sim locality` shows what
// differs.

.kernel gather "an impatient barrier keeps warps in one tile of a table"
.define TILE = 256
.define LOOKS = 12
.define FAR = 10
.param mode = 2 "0 no barrier, 1 patient, 2 impatient"
.param tiles = 24 "tiles of the table"
.memory table, tiles * 256 = random 5, 1000
.memory needs, tiles * 16 = each (index / 16 + index % 16 * 9) % 12
.memory own, ctas * 16 * 1024
.memory result, threads
.block 128
.check gather

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, table
        PARAM   R5, tiles
        PARAM   R6, mode
        PARAM   R7, needs
        S2R     R8, %warp
        AND     R8, R8, 15
        IMAD    R7, R8, 4, R7           // whether this warp needs words of its own before a tile
        PARAM   R14, own
        IMAD    R11, R0, 16, R8
        IMAD    R14, R11, 4096, R14
        MOV     R8, 0                   // tile
        MOV     R9, 0                   // sum
        MOV     R10, R3                 // generator
        ISETP.EQ.U P1, R6, 1
        ISETP.EQ.U P2, R6, 2
        BARRIER.CONF 0, condition 1
        BARRIER.CONF 1, condition 4, reference R1, timeout 200, late pass
        BARRIER.CONF 2, condition 4, reference R1, timeout 200, late pass
        BARRIER.CONF 3, condition 4, reference R1, timeout 200, late pass
        BARRIER.CONF 4, condition 4, reference R1, timeout 200, late pass
tile:
        LD.GLOBAL.W R11, [R7]
        ISETP.NE.U P3, R11, 0
        @P3 BRA ready
        MOV     R11, FAR                // now and then a warp needs words of its own, which no other has fetched
far:
        LD.GLOBAL.W R13, [R14]
        IADD    R9, R9, R13
        IADD    R14, R14, 64
        ISUB    R11, R11, 1
        ISETP.NE.U P3, R11, 0
        @P3 BRA far
ready:

        @P1 BRA patient
        @!P2 BRA go
        AND     R11, R8, 3              // four barriers in turn: who is late passes those of the tiles before
        SHL     R11, R11, 1
        BRX     R11, impatient
impatient:
        BARRIER.CONDITIONAL.IMPATIENT 1, went_1
went_1:
        BRA     go
        BARRIER.CONDITIONAL.IMPATIENT 2, went_2
went_2:
        BRA     go
        BARRIER.CONDITIONAL.IMPATIENT 3, went_3
went_3:
        BRA     go
        BARRIER.CONDITIONAL.IMPATIENT 4, went_4
went_4:
        BRA     go
patient:
        BARRIER.CONDITIONAL 0, go
go:
        MOV     R12, LOOKS
look:
        IMAD    R10, R10, 1664525, RZ
        IADD    R10, R10, 1013904223
        SHR.U   R13, R10, 24
        IMAD    R13, R13, 4, R4
        LD.GLOBAL.W R13, [R13]
        IMAD    R9, R9, 3, R13
        ISUB    R12, R12, 1
        ISETP.NE.U P3, R12, 0
        @P3 BRA look
        IADD    R4, R4, TILE * 4
        IADD    R7, R7, 64
        IADD    R8, R8, 1
        ISETP.LT.U P3, R8, R5
        @P3 BRA tile
        PARAM   R11, result
        IMAD    R11, R3, 4, R11
        ST.GLOBAL.W [R11], R9
        EXIT
