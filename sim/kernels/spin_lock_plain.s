// A spin lock without any region: only branches, as a compiler leaves it that gives up on reconvergence.
//
// Winner and losers part at one branch and never wait for each other. Whether the plain stack gets through depends on
// which side runs first: the losers fall through, so a policy that prefers them (not_taken, or larger while there are more
// losers than winners) spins for ever. Two equal sets count as taken, which lets the last two threads finish under smaller.

.kernel spin_lock_plain "no regions: the plain stack deadlocks under the policies that prefer the losers"
.memory lock, 1
.memory counter, 1
.memory order, threads = fill 0xffffffff
.block 32
.stack_hangs not_taken, larger
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

spin:
        YIELD
        ATOM.GLOBAL.CAS R4, [R10], 0, R5
        ISETP.EQ.U P0, R4, 0
        @P0 BRA acquired
        BRA     spin

acquired:
        LD.GLOBAL.W R6, [R11]           // the section
        IMAD    R7, R0, 4, R12
        ST.GLOBAL.W [R7], R6
        IADD    R6, R6, 1
        ST.GLOBAL.W [R11], R6
        FENCE
        ST.GLOBAL.W [R10], RZ           // release
        EXIT
