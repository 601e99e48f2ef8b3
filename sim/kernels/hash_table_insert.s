// Every thread inserts its key into a chained hash table; each bucket has a lock.
//
// Threads whose keys fall into one bucket contend, the others do not. The lock is taken as a compiler writes it (spin, then
// the section), so the first two keys of a warp in one bucket deadlock the plain stack.

.kernel hash_table_insert "a lock for each bucket; two keys of a warp in one bucket deadlock the plain stack"
.param bucket_bits = 3 "the table has 2 to this power buckets, at most 256"
.define BUCKET_LIMIT = 256
.memory lock, BUCKET_LIMIT
.memory head, BUCKET_LIMIT = fill 0xffffffff
.memory key, threads = random 7, 0x10000
.memory next, threads = fill 0xfffffffe
.block 32
.stack_hangs taken, not_taken, smaller, larger
.expect lock = fill 0
.check hash_table_holds_every_key

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2          // the node that this thread inserts
        PARAM   R10, key
        IMAD    R10, R0, 4, R10
        LD.GLOBAL.W R3, [R10]
        PARAM   R4, bucket_bits
        MOV     R5, 1
        SHL     R4, R5, R4
        ISUB    R4, R4, 1
        AND     R3, R3, R4              // the bucket: low bits of the key
        AND     R3, R3, BUCKET_LIMIT - 1
        PARAM   R11, lock
        IMAD    R11, R3, 4, R11
        PARAM   R12, head
        IMAD    R12, R3, 4, R12
        PARAM   R13, next
        IMAD    R13, R0, 4, R13

        PBK     acquired
spin:
        ATOM.GLOBAL.CAS R6, [R11], 0, R5
        ISETP.EQ.U P0, R6, 0
        @P0 BRK acquired
        YIELD
        BRA     spin

acquired:
        LD.GLOBAL.W R7, [R12]           // the section: put the node before the chain
        ST.GLOBAL.W [R13], R7
        ST.GLOBAL.W [R12], R0
        FENCE
        ST.GLOBAL.W [R11], RZ
        EXIT
