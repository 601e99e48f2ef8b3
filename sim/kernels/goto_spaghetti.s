// Gotos: four blocks that jump to each other as a per-thread generator decides, with loops that have two entries.
//
// No compiler can nest this, so there are no regions; threads merge where they meet in the queue, or not at all. Every cycle
// through the blocks passes a YIELD.

.kernel goto_spaghetti "an irreducible flow graph: loops with several entries, no regions"
.param steps = 20 "blocks that each thread visits"
.memory result, threads
.block 32
.check goto_spaghetti

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        PARAM   R11, steps
        MOV     R3, 12345
        IMAD    R3, R0, 0x9e3779b9, R3  // the generator's state
        MOV     R4, 0                   // the result so far
        MOV     R5, 0                   // blocks visited
        MOV     R7, 1013904223
        AND     R6, R0, 1
        ISETP.NE.U P0, R6, 0
        @P0 BRA block_b                 // the second entry of the loop of a and b

block_a:
        YIELD
        IADD    R5, R5, 1
        ISETP.GT.U P6, R5, R11
        @P6 BRA end
        IMAD    R4, R4, 5, RZ
        IADD    R4, R4, 1
        IMAD    R3, R3, 1664525, R7
        SHR.U   R6, R3, 30
        ISETP.EQ.U P0, R6, 0
        @P0 BRA block_c
        ISETP.EQ.U P0, R6, 1
        @P0 BRA block_d

block_b:
        YIELD
        IADD    R5, R5, 1
        ISETP.GT.U P6, R5, R11
        @P6 BRA end
        IMAD    R4, R4, 5, RZ
        IADD    R4, R4, 2
        IMAD    R3, R3, 1664525, R7
        SHR.U   R6, R3, 30
        ISETP.EQ.U P0, R6, 0
        @P0 BRA block_a
        ISETP.EQ.U P0, R6, 1
        @P0 BRA block_b
        JMP     block_d

block_c:
        YIELD
        IADD    R5, R5, 1
        ISETP.GT.U P6, R5, R11
        @P6 BRA end
        IMAD    R4, R4, 5, RZ
        IADD    R4, R4, 3
        IMAD    R3, R3, 1664525, R7
        SHR.U   R6, R3, 30
        ISETP.GE.U P0, R6, 2
        @P0 BRA block_b
        BRA     block_a

block_d:
        YIELD
        IADD    R5, R5, 1
        ISETP.GT.U P6, R5, R11
        @P6 BRA end
        IMAD    R4, R4, 5, RZ
        IADD    R4, R4, 4
        IMAD    R3, R3, 1664525, R7
        SHR.U   R6, R3, 30
        ISETP.LT.U P0, R6, 2
        @P0 BRA block_c
        BRA     block_b

end:
        ST.GLOBAL.W [R10], R4
        EXIT
