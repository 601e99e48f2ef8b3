// A reader/writer lock: every fourth thread writes, the others read; readers may be inside together.
//
// The state word counts readers; all ones means a writer. A writer that got in waits at BRK for the other writers of its
// warp, which wait for it: the plain stack deadlocks. Readers alone never would: each round lets one more of them in.

.kernel reader_writer_lock "readers share, writers exclude; waiting writers deadlock the plain stack"
.define WRITER = 0xffffffff
.memory state, 1
.memory first, 1
.memory second, 1
.memory torn, 1
.block 32
.stack_hangs taken, not_taken, smaller, larger
.expect state = 0
.expect first = (threads + 3) / 4
.expect second = (threads + 3) / 4
.expect torn = 0

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, state
        PARAM   R11, first
        PARAM   R12, second
        PARAM   R13, torn
        AND     R3, R0, 3
        ISETP.EQ.U P1, R3, 0

        SSY     join
        @P1 BRA writer

        PBK     may_read
try_read:
        LD.GLOBAL.W R4, [R10]
        ISETP.EQ.U P0, R4, WRITER
        @P0 BRA read_later
        IADD    R5, R4, 1
        ATOM.GLOBAL.CAS R6, [R10], R4, R5
        ISETP.EQ.U P0, R6, R4
        @P0 BRK may_read
read_later:
        YIELD
        BRA     try_read
may_read:
        LD.GLOBAL.W R7, [R11]
        LD.GLOBAL.W R8, [R12]
        ISETP.NE.U P0, R7, R8           // a half-written pair was seen
        MOV     R9, 1
        @P0 ATOM.GLOBAL.ADD RZ, [R13], R9
        FENCE
        MOV     R9, -1
        ATOM.GLOBAL.ADD RZ, [R10], R9
        SYNC    join

writer:
        MOV     R5, WRITER
        PBK     may_write
try_write:
        ATOM.GLOBAL.CAS R6, [R10], 0, R5
        ISETP.EQ.U P0, R6, 0
        @P0 BRK may_write
        YIELD
        BRA     try_write
may_write:
        LD.GLOBAL.W R7, [R11]
        IADD    R7, R7, 1
        ST.GLOBAL.W [R11], R7
        YIELD                           // give a reader the chance to see the pair half written
        LD.GLOBAL.W R8, [R12]
        IADD    R8, R8, 1
        ST.GLOBAL.W [R12], R8
        FENCE
        ST.GLOBAL.W [R10], RZ
        SYNC    join

join:
        EXIT
