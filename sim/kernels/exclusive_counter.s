// One counter for the whole grid, without atomics. A section keeps out the other threads of its CTA only; an exclusive one keeps out the
// sections of every other CTA as well.

.kernel exclusive_counter "exclusive sections of several CTAs share a counter"
.memory counter, 1
.memory order, threads = fill 0xffffffff
.grid 4
.block 32
.expect counter = threads
.check order_is_a_permutation

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R3, R0, R1, R2          // number of the thread in the grid
        PARAM   R4, counter
        PARAM   R5, order
        IMAD    R5, R3, 4, R5

        BARRIER.ORDERED.EXCLUSIVE 2, after
        LD.GLOBAL.W R6, [R4]
        ST.GLOBAL.W [R5], R6            // this thread was number R6
        IADD    R6, R6, 1
        ST.GLOBAL.W [R4], R6
        BARRIER.BOTTOM 2
after:
        EXIT
