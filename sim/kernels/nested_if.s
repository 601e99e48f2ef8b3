// Five nested if/else: a thread goes one level deeper for each low bit of its number that is set, without a gap.
//
// Every level opens a region and closes it; the threads reconverge level by level.

.kernel nested_if "if/else, five deep, reconverging at each level"
.memory result, threads
.block 32
.check nested_if

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        MOV     R3, 1                   // the result so far

        SSY     join_1
        AND     R4, R0, 1
        ISETP.EQ.U P0, R4, 0
        @P0 BRA else_1
        IMAD    R3, R3, 3, RZ
        SSY     join_2
        AND     R4, R0, 2
        ISETP.EQ.U P0, R4, 0
        @P0 BRA else_2
        IMAD    R3, R3, 3, RZ
        SSY     join_3
        AND     R4, R0, 4
        ISETP.EQ.U P0, R4, 0
        @P0 BRA else_3
        IMAD    R3, R3, 3, RZ
        SSY     join_4
        AND     R4, R0, 8
        ISETP.EQ.U P0, R4, 0
        @P0 BRA else_4
        IMAD    R3, R3, 3, RZ
        SSY     join_5
        AND     R4, R0, 16
        ISETP.EQ.U P0, R4, 0
        @P0 BRA else_5
        IMAD    R3, R3, 3, RZ
        SYNC    join_5
else_5:
        IADD    R3, R3, 5
        SYNC    join_5
join_5:
        IADD    R3, R3, 1
        SYNC    join_4
else_4:
        IADD    R3, R3, 4
        SYNC    join_4
join_4:
        IADD    R3, R3, 1
        SYNC    join_3
else_3:
        IADD    R3, R3, 3
        SYNC    join_3
join_3:
        IADD    R3, R3, 1
        SYNC    join_2
else_2:
        IADD    R3, R3, 2
        SYNC    join_2
join_2:
        IADD    R3, R3, 1
        SYNC    join_1
else_1:
        IADD    R3, R3, 1
        SYNC    join_1
join_1:
        IADD    R3, R3, 1
        ST.GLOBAL.W [R10], R3
        EXIT
