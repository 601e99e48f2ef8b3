// A ticket lock: each thread draws a number and waits until it is served, so the section runs in the order of arrival.
//
// There are no regions. The waiting side is the taken one: taken prefers it, larger does while more than one thread waits, and
// smaller does for the last two threads, because two equal sets count as taken. Only not_taken lets the plain stack through.

.kernel ticket_lock "first come, first served; the plain stack needs luck with its path policy"
.memory next, 1
.memory serving, 1
.memory counter, 1
.memory order, threads = fill 0xffffffff
.block 32
.stack_hangs taken, smaller, larger
.expect next = threads
.expect serving = threads
.expect counter = threads
.check order_is_a_permutation

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, next
        PARAM   R11, serving
        PARAM   R12, counter
        PARAM   R13, order
        MOV     R5, 1
        ATOM.GLOBAL.ADD R4, [R10], R5   // the ticket

wait:
        YIELD
        LD.GLOBAL.W R6, [R11]
        ISETP.NE.U P0, R6, R4
        @P0 BRA wait

        LD.GLOBAL.W R7, [R12]           // the section
        IMAD    R8, R0, 4, R13
        ST.GLOBAL.W [R8], R7
        IADD    R7, R7, 1
        ST.GLOBAL.W [R12], R7
        FENCE
        IADD    R6, R6, 1
        ST.GLOBAL.W [R11], R6           // the next one, please
        EXIT
