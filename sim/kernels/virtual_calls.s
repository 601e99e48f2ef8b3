// Virtual calls: each thread calls the method of its own object's class, found in a table of addresses.
//
// CAL goes to a dispatcher, whose JMX jumps to the address in a register: threads of one class go together, the others
// follow in further passes, and all of them wait at RET for the one call token.

.kernel virtual_calls "methods by table: an indirect jump behind one call"
.param calls = 3 "calls that each thread makes"
.memory class, threads = random 5, 4
.memory result, threads
.block 32
.check virtual_calls

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, class
        IMAD    R10, R0, 4, R10
        LD.GLOBAL.W R3, [R10]
        PARAM   R11, result
        IMAD    R11, R0, 4, R11
        PARAM   R12, calls
        MOV     R5, R0                  // the object's value
        MOV     R6, 0                   // calls made

        ISETP.EQ.U P0, R3, 0            // the table of methods, as far as this thread needs it
        @P0 MOV R4, circle
        ISETP.EQ.U P0, R3, 1
        @P0 MOV R4, square
        ISETP.EQ.U P0, R3, 2
        @P0 MOV R4, triangle
        ISETP.GE.U P0, R3, 3
        @P0 MOV R4, nothing

        PBK     done
loop:
        ISETP.GE.U P0, R6, R12
        @P0 BRK done
        CAL     dispatch
        IADD    R5, R5, 1
        IADD    R6, R6, 1
        YIELD
        BRA     loop
done:
        ST.GLOBAL.W [R11], R5
        EXIT

dispatch:
        JMX     R4
circle:
        IMAD    R5, R5, 3, RZ
        RET
square:
        IMAD    R5, R5, R5, RZ
        RET
triangle:
        XOR     R5, R5, 0x55
        RET
nothing:
        RET
