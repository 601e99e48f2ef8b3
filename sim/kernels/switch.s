// A switch with a jump table: BRX goes to the table plus the case, and the table branches to the code of the case.
//
// Threads with one case run together; k cases take k passes through BRX. All meet again behind the switch.

.kernel switch "a jump table through BRX: one pass for each case that occurs"
.define CASES = 5
.memory input, threads = random 11, 8
.memory result, threads
.block 32
.check switch

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, input
        IMAD    R10, R0, 4, R10
        PARAM   R11, result
        IMAD    R11, R0, 4, R11
        LD.GLOBAL.W R3, [R10]
        MOV     R4, R3
        MOV     R5, 0
        ISETP.GT.U P0, R4, CASES
        @P0 MOV R4, CASES               // everything else is the default

        SSY     join
        BRX     R4, table
table:
        BRA     case_0
        BRA     case_1
        BRA     case_2
        BRA     case_3
        BRA     case_4
        BRA     otherwise
case_0:
        MOV     R5, 100
        SYNC    join
case_1:
        IMAD    R5, R0, 2, RZ
        SYNC    join
case_2:
        IMAD    R5, R0, R0, RZ
        BRA     case_3                  // falls into the next case
case_3:
        IADD    R5, R5, 7
        SYNC    join
case_4:
        NOT     R5, R0
        SYNC    join
otherwise:
        XOR     R5, R0, R3
        SYNC    join
join:
        IADD    R5, R5, 1
        ST.GLOBAL.W [R11], R5
        EXIT
