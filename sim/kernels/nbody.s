// A step of an N-body simulation: each body is moved by the pull of those that are near. Whether one is near depends on the pair.

.kernel nbody "an N-body step: pairs within reach, all others skipped"
.param bodies = 32 "bodies"
.size real bodies = 256
.define MINUS_ONE = 0xbf800000
.define SOFTENING = 0.5
.define REACH = 160000.0                // square of the distance up to which bodies pull
.define TIME = 0.01
.memory x, bodies = random 71, 1000
.memory y, bodies = random 73, 1000
.memory z, bodies = random 79, 1000
.memory mass, bodies = random 83, 100
.memory moved, bodies * 3 = fill 0xffffffff
.block 128
.check nbody

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // body
        S2R     R4, %grid_x
        S2R     R5, %grid_y
        IMAD    R4, R4, R5, RZ
        S2R     R5, %grid_z
        IMAD    R4, R4, R5, RZ
        IMAD    R4, R4, R1, RZ          // threads of the grid
        PARAM   R5, bodies
        PARAM   R6, x
        PARAM   R7, y
        PARAM   R8, z
        PARAM   R9, mass
        PARAM   R10, moved
        MOV     R30, MINUS_ONE
        MOV     R31, SOFTENING
        PBK     done
body:
        ISETP.GE.U P0, R3, R5
        @P0 BRK done
        SHL     R11, R3, 2
        IADD    R12, R11, R6
        LD.GLOBAL.W R12, [R12]
        I2F.U   R12, R12
        IADD    R13, R11, R7
        LD.GLOBAL.W R13, [R13]
        I2F.U   R13, R13
        IADD    R14, R11, R8
        LD.GLOBAL.W R14, [R14]
        I2F.U   R14, R14
        MOV     R15, 0.0                // pull along x, y, z
        MOV     R16, 0.0
        MOV     R17, 0.0
        MOV     R18, 0                  // place of the other body
        SHL     R19, R5, 2
        PBK     pulled
other:
        ISETP.GE.U P0, R18, R19
        @P0 BRK pulled
        PCNT    next
        IADD    R20, R18, R6
        LD.GLOBAL.W R20, [R20]
        I2F.U   R20, R20
        FFMA    R20, R12, R30, R20
        IADD    R21, R18, R7
        LD.GLOBAL.W R21, [R21]
        I2F.U   R21, R21
        FFMA    R21, R13, R30, R21
        IADD    R22, R18, R8
        LD.GLOBAL.W R22, [R22]
        I2F.U   R22, R22
        FFMA    R22, R14, R30, R22
        FFMA    R23, R20, R20, R31      // square of the distance
        FFMA    R23, R21, R21, R23
        FFMA    R23, R22, R22, R23
        FSETP.GT P0, R23, REACH
        @P0 CONT next
        FRSQ    R23, R23
        FMUL    R24, R23, R23
        FMUL    R24, R24, R23
        IADD    R25, R18, R9
        LD.GLOBAL.W R25, [R25]
        I2F.U   R25, R25
        FMUL    R24, R24, R25
        FFMA    R15, R20, R24, R15
        FFMA    R16, R21, R24, R16
        FFMA    R17, R22, R24, R17
        CONT    next
next:
        IADD    R18, R18, 4
        YIELD
        BRA     other
pulled:
        IMAD    R20, R3, 12, R10
        FFMA    R12, R15, TIME, R12
        ST.GLOBAL.W [R20], R12
        FFMA    R13, R16, TIME, R13
        ST.GLOBAL.W [R20 + 4], R13
        FFMA    R14, R17, TIME, R14
        ST.GLOBAL.W [R20 + 8], R14
        IADD    R3, R3, R4
        YIELD
        BRA     body
done:
        EXIT
