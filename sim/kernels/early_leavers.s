// Threads that exit before they arrive: every third one leaves, some at once and some later. Those that are left meet all the same, since
// condition 1 asks for live threads only.

.kernel early_leavers "a barrier does not wait for threads that have exited"
.memory arrived, ctas
.memory result, threads = fill 0xffffffff
.grid 2
.block 96
.check early_leavers

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, arrived
        IMAD    R4, R0, 4, R4
        PARAM   R5, result
        IMAD    R5, R3, 4, R5
        MOV     R10, 1
        MOV     R7, 3
        MOV     R6, R2
third:
        ISETP.GE.U P0, R6, R7
        @P0 ISUB R6, R6, 3
        @P0 BRA third
        ISETP.EQ.U P1, R6, 0
        @!P1 BRA stay
        AND     R8, R2, 4               // some of them take their time
        SHL     R8, R8, 3
leave:
        ISETP.EQ.U P0, R8, 0
        @P0 EXIT
        ISUB    R8, R8, 1
        YIELD
        BRA     leave
stay:
        ATOM.GLOBAL.ADD R9, [R4], R10
        BARRIER.CONDITIONAL 0, all
all:
        LD.GLOBAL.W R9, [R4]
        ST.GLOBAL.W [R5], R9
        EXIT
