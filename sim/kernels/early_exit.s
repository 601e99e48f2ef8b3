// Threads that leave before the end: some at once, some from within a loop inside a branch, some through an exit handler.
//
// Each thread looks for a zero in its row. Threads whose number is a multiple of 5 exit at once. Those that find a zero leave through
// the exit handler that PEXIT opened, where they report together; those that find none report it and exit on their own.

.kernel early_exit "exits at the start, in a loop, and through an exit handler"
.define COLUMNS = 8
.memory row, threads * COLUMNS = random 3, 6
.memory found, threads = fill 0xffffffff
.memory reports, 1
.block 32
.check early_exit

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        IMULHI.U R3, R0, 0xcccccccd     // R0 / 5
        SHR.U   R3, R3, 2
        IMAD    R3, R3, -5, R0
        ISETP.EQ.U P0, R3, 0
        @P0 EXIT

        PARAM   R10, row
        IMAD    R10, R0, COLUMNS * 4, R10
        PARAM   R11, found
        IMAD    R11, R0, 4, R11
        PARAM   R12, reports
        MOV     R4, 0                   // the column
        PEXIT   report
        PBK     none
loop:
        ISETP.GE.U P0, R4, COLUMNS
        @P0 BRK none
        LD.GLOBAL.W R5, [R10]
        ISETP.EQ.U P1, R5, 0
        @P1 EXIT report
        IADD    R10, R10, 4
        IADD    R4, R4, 1
        YIELD
        BRA     loop
none:
        MOV     R4, COLUMNS
        ST.GLOBAL.W [R11], R4
        EXIT

report:
        ST.GLOBAL.W [R11], R4
        MOV     R6, 1
        ATOM.GLOBAL.ADD RZ, [R12], R6
        EXIT
