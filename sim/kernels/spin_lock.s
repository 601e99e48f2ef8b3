// A spin lock as a compiler writes it: spin until the lock is taken, then the section.
//
// The thread that takes the lock waits at BRK for the other threads of its warp to leave the loop, and they wait for the
// lock. On the plain stack nobody moves again, whichever path runs first. With a token queue, YIELD puts the spinning
// threads behind the one that holds the lock.

.kernel spin_lock "spin, then the section: the plain stack deadlocks under every path policy"
.memory lock, 1
.memory counter, 1
.memory order, threads = fill 0xffffffff
.block 32
.stack_hangs taken, not_taken, smaller, larger
.expect lock = 0
.expect counter = threads
.check order_is_a_permutation

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2          // number of the thread in the grid
        PARAM   R10, lock
        PARAM   R11, counter
        PARAM   R12, order
        MOV     R5, 1

        PBK     acquired
spin:
        ATOM.GLOBAL.CAS R4, [R10], 0, R5
        ISETP.EQ.U P0, R4, 0
        @P0 BRK acquired
        YIELD
        BRA     spin

acquired:
        LD.GLOBAL.W R6, [R11]           // the section: a read, a change and a write that must not mix
        IMAD    R7, R0, 4, R12
        ST.GLOBAL.W [R7], R6            // this thread was number R6
        IADD    R6, R6, 1
        ST.GLOBAL.W [R11], R6
        FENCE
        ST.GLOBAL.W [R10], RZ           // release
        EXIT
