// A sparse matrix times a vector, a row for each thread at a time. Rows differ in length, and every word of the vector is looked up at a
// place that the matrix names.

.kernel spmv "sparse matrix times vector: rows of different lengths"
.param rows = 64 "rows and columns"
.param width = 8 "entries of a row, at most"
.size real rows = 2048, width = 32
.memory lengths, rows = random 51, width + 1
.memory columns, rows * width = random 53, rows
.memory values, rows * width = random 57, 2000
.memory vector, rows = random 59, 2000
.memory product, rows = fill 0xffffffff
.block 128
.check spmv

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // row
        S2R     R4, %grid_x
        S2R     R5, %grid_y
        IMAD    R4, R4, R5, RZ
        S2R     R5, %grid_z
        IMAD    R4, R4, R5, RZ
        IMAD    R4, R4, R1, RZ          // threads of the grid
        PARAM   R5, rows
        PARAM   R6, width
        PARAM   R7, lengths
        PARAM   R8, columns
        PARAM   R9, values
        PARAM   R10, vector
        PARAM   R11, product
        PBK     done
row:
        ISETP.GE.U P0, R3, R5
        @P0 BRK done
        IMAD    R12, R3, 4, R7
        LD.GLOBAL.W R12, [R12]          // entries that are left
        IMAD    R13, R3, R6, RZ
        SHL     R13, R13, 2             // place of the entry
        MOV     R14, 0.0                // sum
        PBK     summed
entry:
        ISETP.EQ.U P0, R12, 0
        @P0 BRK summed
        IADD    R15, R13, R8
        LD.GLOBAL.W R15, [R15]
        IMAD    R15, R15, 4, R10
        LD.GLOBAL.W R15, [R15]
        I2F.U   R15, R15
        IADD    R16, R13, R9
        LD.GLOBAL.W R16, [R16]
        I2F.U   R16, R16
        FMUL    R16, R16, 0.001
        FFMA    R14, R16, R15, R14
        IADD    R13, R13, 4
        ISUB    R12, R12, 1
        YIELD
        BRA     entry
summed:
        IMAD    R12, R3, 4, R11
        ST.GLOBAL.W [R12], R14
        IADD    R3, R3, R4
        YIELD
        BRA     row
done:
        EXIT
