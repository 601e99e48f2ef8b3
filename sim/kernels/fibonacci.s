// Fibonacci numbers by recursion: thread t computes number t modulo 12, the naive way.
//
// Each thread has a stack of its own in local memory; R20 points behind its top. CAL and RET alone keep the return
// addresses, as call tokens. The threads of a warp recurse to different depths: RET under a predicate waits for
// those that still run the same call. The function has no loop and waits for nobody, hence no YIELD inside, so its tokens stay.

.kernel fibonacci "recursion with a stack for each thread; return addresses are call tokens"
.param modulus = 12 "thread t computes number t modulo this, at most 24"
.local 256
.memory result, threads
.block 32
.check fibonacci

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        MOV     R3, R0
        PARAM   R4, modulus
        PBK     reduced
reduce:
        ISETP.LT.U P0, R3, R4
        @P0 BRK reduced
        ISUB    R3, R3, R4
        YIELD
        BRA     reduce
reduced:
        MOV     R20, 0                  // empty stack
        CAL     fibonacci
        ST.GLOBAL.W [R10], R5
        EXIT

fibonacci:                              // R5 = the number R3 of the sequence; R3 is lost
        MOV     R5, R3
        ISETP.LT.U P0, R3, 2
        @P0 RET
        ST.LOCAL.W [R20], R3
        IADD    R20, R20, 8
        ISUB    R3, R3, 1
        CAL     fibonacci
        ST.LOCAL.W [R20 - 4], R5
        LD.LOCAL.W R3, [R20 - 8]
        ISUB    R3, R3, 2
        CAL     fibonacci
        LD.LOCAL.W R6, [R20 - 4]
        IADD    R5, R5, R6
        ISUB    R20, R20, 8
        RET
