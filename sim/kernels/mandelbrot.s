// The Mandelbrot set: for each point of a grid, how many steps it takes to leave a circle. Neighbours often take the same number, and at the rim
// of the set they do not.

.kernel mandelbrot "Mandelbrot set: a trip count for each point"
.param width = 16 "points in a row"
.param height = 8 "rows"
.param limit = 32 "steps, at most"
.size real width = 96, height = 64, limit = 256
.size large width = 256, height = 256, limit = 256
.define MINUS_ONE = 0xbf800000
.define LEFT = 0xc0000000               // -2.0
.define TOP = 0xbfa00000                // -1.25
.memory count, width * height = fill 0xffffffff
.block 128
.check mandelbrot

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // point
        S2R     R4, %grid_x
        S2R     R5, %grid_y
        IMAD    R4, R4, R5, RZ
        S2R     R5, %grid_z
        IMAD    R4, R4, R5, RZ
        IMAD    R4, R4, R1, RZ          // threads of the grid
        PARAM   R5, width
        PARAM   R6, height
        PARAM   R7, limit
        PARAM   R8, count
        I2F.U   R9, R5
        FRCP    R9, R9
        FMUL    R9, R9, 3.0             // from one point to the next
        I2F.U   R10, R6
        FRCP    R10, R10
        FMUL    R10, R10, 2.5           // from one row to the next
        MOV     R11, R3                 // x
        MOV     R12, 0                  // y
        PBK     done
point:
        PBK     placed
wrap:
        ISETP.LT.U P0, R11, R5
        @P0 BRK placed
        ISUB    R11, R11, R5
        IADD    R12, R12, 1
        YIELD
        BRA     wrap
placed:
        ISETP.GE.U P0, R12, R6
        @P0 BRK done
        MOV     R22, LEFT
        I2F.U   R13, R11
        FFMA    R13, R13, R9, R22       // the point: R13 + i R14
        MOV     R22, TOP
        I2F.U   R14, R12
        FFMA    R14, R14, R10, R22
        MOV     R15, 0.0                // R15 + i R16
        MOV     R16, 0.0
        MOV     R17, 0                  // steps
        PBK     left
step:
        ISETP.GE.U P0, R17, R7
        @P0 BRK left
        FMUL    R18, R15, R15
        FMUL    R19, R16, R16
        FADD    R20, R18, R19
        FSETP.GT P0, R20, 4.0
        @P0 BRK left
        FMUL    R20, R15, R16
        FFMA    R16, R20, 2.0, R14
        FADD    R18, R18, R13
        FFMA    R15, R19, MINUS_ONE, R18
        IADD    R17, R17, 1
        YIELD
        BRA     step
left:
        IMAD    R18, R12, R5, R11
        IMAD    R18, R18, 4, R8
        ST.GLOBAL.W [R18], R17
        IADD    R11, R11, R4
        YIELD
        BRA     point
done:
        EXIT
