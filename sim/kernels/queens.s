// N queens on a board of N by N, none of which attacks another: how many ways are there? A thread takes one placement of the first two rows at a
// time and searches the rest with a stack in local memory. Some searches end at once, others are long.

.kernel queens "N queens: searches of very different lengths, with a stack for each thread"
.param size = 5 "rows and columns, 2 to 16"
.size real size = 8
.memory solutions, 1
.local 256
.block 128
.check queens

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // placement
        S2R     R4, %grid_x
        S2R     R5, %grid_y
        IMAD    R4, R4, R5, RZ
        S2R     R5, %grid_z
        IMAD    R4, R4, R5, RZ
        IMAD    R4, R4, R1, RZ          // threads of the grid
        PARAM   R5, size
        PARAM   R6, solutions
        MOV     R7, 1
        SHL     R8, R7, R5
        ISUB    R8, R8, 1               // all columns
        MOV     R9, 0                   // solutions that this thread found
        PBK     done
placement:
        PCNT    next_placement
        MOV     R10, 0                  // column in the first row
        MOV     R11, R3                 // column in the second row
        PBK     divided
divide:
        ISETP.LT.U P0, R11, R5
        @P0 BRK divided
        ISUB    R11, R11, R5
        IADD    R10, R10, 1
        YIELD
        BRA     divide
divided:
        ISETP.GE.U P0, R10, R5
        @P0 BRK done                    // no placement is left
        SHL     R10, R7, R10
        SHL     R11, R7, R11
        SHL     R12, R10, 1             // attacked to the left
        SHR.U   R13, R10, 1             // attacked to the right
        OR      R14, R12, R13
        OR      R14, R14, R10
        AND     R14, R14, R11
        ISETP.NE.U P0, R14, 0
        @P0 CONT next_placement         // the two attack each other
        OR      R10, R10, R11           // columns taken
        OR      R12, R12, R11
        SHL     R12, R12, 1
        OR      R13, R13, R11
        SHR.U   R13, R13, 1
        MOV     R20, 0                  // empty stack
        OR      R14, R12, R13
        OR      R14, R14, R10
        NOT     R14, R14
        AND     R14, R14, R8            // columns to try
        PBK     searched
try:
        PCNT    next_try
        ISETP.NE.U P0, R14, 0
        SSY     chosen
        @P0 SYNC chosen
        ISETP.EQ.U P1, R20, 0
        @P1 BRK searched                // nothing is left
        ISUB    R20, R20, 16
        LD.LOCAL.W R10, [R20]
        LD.LOCAL.W R12, [R20 + 4]
        LD.LOCAL.W R13, [R20 + 8]
        LD.LOCAL.W R14, [R20 + 12]
        CONT    next_try
chosen:
        ISUB    R15, RZ, R14
        AND     R15, R14, R15           // the lowest one
        XOR     R14, R14, R15
        OR      R16, R10, R15
        ISETP.EQ.U P0, R16, R8
        @P0 IADD R9, R9, 1
        @P0 CONT next_try               // every column is taken
        ST.LOCAL.W [R20], R10
        ST.LOCAL.W [R20 + 4], R12
        ST.LOCAL.W [R20 + 8], R13
        ST.LOCAL.W [R20 + 12], R14
        IADD    R20, R20, 16
        MOV     R10, R16
        OR      R12, R12, R15
        SHL     R12, R12, 1
        OR      R13, R13, R15
        SHR.U   R13, R13, 1
        OR      R14, R12, R13
        OR      R14, R14, R10
        NOT     R14, R14
        AND     R14, R14, R8
        CONT    next_try
next_try:
        YIELD
        BRA     try
searched:
        CONT    next_placement
next_placement:
        IADD    R3, R3, R4
        YIELD
        BRA     placement
done:
        ATOM.GLOBAL.ADD RZ, [R6], R9
        EXIT
