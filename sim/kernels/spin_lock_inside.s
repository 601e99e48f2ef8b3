// A spin lock with the section inside the loop: the thread that takes the lock gives it back before it waits for anyone.
//
// The region around the attempt reconverges winner and losers once an iteration, after the winner has left the section, so
// even the plain stack gets through. Programmers of lockstep machines write locks like this; compilers undo it.

.kernel spin_lock_inside "the section inside the loop: no engine hangs"
.memory lock, 1
.memory counter, 1
.memory order, threads = fill 0xffffffff
.block 32
.expect lock = 0
.expect counter = threads
.check order_is_a_permutation

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, lock
        PARAM   R11, counter
        PARAM   R12, order
        MOV     R5, 1

        PBK     finished
spin:
        SSY     tried
        ATOM.GLOBAL.CAS R4, [R10], 0, R5
        ISETP.NE.U P0, R4, 0
        @P0 BRA lost
        LD.GLOBAL.W R6, [R11]           // the section
        IMAD    R7, R0, 4, R12
        ST.GLOBAL.W [R7], R6
        IADD    R6, R6, 1
        ST.GLOBAL.W [R11], R6
        FENCE
        ST.GLOBAL.W [R10], RZ           // release, then leave the loop
        BRK     finished
lost:
        SYNC    tried
tried:
        YIELD
        BRA     spin

finished:
        EXIT
