// Every thread sorts a row of its own by recursive quicksort.
//
// The loops of the partition have no known trip count, so each passes a YIELD; a YIELD may run a call token before its
// threads return, so the return address is kept in a register (CAL with a link, RET by register) and on the
// thread's own stack in local memory. Threads that meet in the callee may return to different places.

.kernel quicksort "recursion with loops inside: return addresses in registers, on a stack for each thread"
.param items = 12 "numbers in a row, at most 64"
.local 1024
.memory row, threads * items = random 23, 1000
.block 32
.check rows_are_sorted

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R11, items
        PARAM   R10, row
        IMAD    R3, R0, R11, RZ
        IMAD    R10, R3, 4, R10         // the row
        MOV     R20, 0                  // empty stack
        MOV     R3, 0                   // first
        ISUB    R4, R11, 1              // last
        CAL     sort, R30
        EXIT

sort:                                   // sorts R3 to R4 of the row; returns to R30
        ISETP.GE.S P0, R3, R4
        @P0 RET R30
        IMAD    R5, R4, 4, R10
        LD.GLOBAL.W R6, [R5]            // the pivot: the last one
        MOV     R7, R3                  // where the next smaller one goes
        MOV     R8, R3                  // the one being looked at
        PBK     parted
part:
        ISETP.GE.S P0, R8, R4
        @P0 BRK parted
        SSY     placed
        IMAD    R9, R8, 4, R10
        LD.GLOBAL.W R12, [R9]
        ISETP.GE.U P1, R12, R6
        @P1 BRA stays
        IMAD    R13, R7, 4, R10
        LD.GLOBAL.W R14, [R13]
        ST.GLOBAL.W [R13], R12
        ST.GLOBAL.W [R9], R14
        IADD    R7, R7, 1
stays:
        SYNC    placed
placed:
        IADD    R8, R8, 1
        YIELD
        BRA     part
parted:
        IMAD    R13, R7, 4, R10         // the pivot goes between the two parts
        LD.GLOBAL.W R14, [R13]
        ST.GLOBAL.W [R13], R6
        ST.GLOBAL.W [R5], R14
        ST.LOCAL.W [R20], R30           // keep what the first call would lose
        ST.LOCAL.W [R20 + 4], R7
        ST.LOCAL.W [R20 + 8], R4
        IADD    R20, R20, 12
        ISUB    R4, R7, 1
        CAL     sort, R30               // the smaller ones
        LD.LOCAL.W R3, [R20 - 8]
        LD.LOCAL.W R4, [R20 - 4]
        IADD    R3, R3, 1
        CAL     sort, R30               // the others
        LD.LOCAL.W R30, [R20 - 12]
        ISUB    R20, R20, 12
        RET     R30
