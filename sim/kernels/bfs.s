// Breadth-first search, level by level. Every CTA searches the graph from a node of its own; its threads go through all nodes, and those whose
// node is on the level look at its neighbours. Nodes differ in how many they have, levels in how many nodes.
//
// A word of shared memory says whether a level found anything; three of them take turns, so that one can be cleared while another is read.

.kernel bfs "breadth-first search: lists of different lengths, few of them of interest at a time"
.define FAR = 0xffffffff
.param nodes = 64 "nodes of the graph"
.param degree = 4 "neighbours of a node, at most"
.size real nodes = 1024, degree = 8
.size large nodes = 25000, degree = 8
.memory degrees, nodes = random 41, degree + 1
.memory edges, nodes * degree = random 43, nodes
.memory distance, ctas * nodes = fill FAR
.shared 12
.block 128
.check bfs

        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        PARAM   R3, nodes
        PARAM   R4, degree
        PARAM   R5, distance
        IMAD    R6, R0, R3, RZ
        IMAD    R5, R6, 4, R5           // distances of this CTA
        PARAM   R6, degrees
        PARAM   R7, edges
        ISETP.LT.U P0, R0, R3
        SEL     R8, R0, 0, P0           // where it starts
        IMAD    R8, R8, 4, R5
        ISETP.EQ.U P0, R2, 0
        @P0 ST.GLOBAL.W [R8], RZ
        MOV     R9, 0                   // level
        MOV     R10, 0                  // its word of shared memory
        FENCE
        BARRIER.CONDITIONAL 0, level
level:
        IADD    R11, R10, 4             // the next level's word
        ISETP.EQ.U P0, R11, 12
        @P0 MOV R11, 0
        ISETP.EQ.U P0, R2, 0
        @P0 ST.SHARED.W [R11], RZ
        IADD    R12, R9, 1
        MOV     R13, R2                 // node
        PBK     looked
node:
        ISETP.GE.U P0, R13, R3
        @P0 BRK looked
        PCNT    next_node
        IMAD    R14, R13, 4, R5
        LD.GLOBAL.W R15, [R14]
        ISETP.NE.U P0, R15, R9
        @P0 CONT next_node              // not on this level
        IMAD    R16, R13, 4, R6
        LD.GLOBAL.W R16, [R16]          // edges that are left
        IMAD    R17, R13, R4, RZ
        IMAD    R17, R17, 4, R7
        PBK     followed
edge:
        ISETP.EQ.U P0, R16, 0
        @P0 BRK followed
        LD.GLOBAL.W R18, [R17]
        IMAD    R18, R18, 4, R5
        ATOM.GLOBAL.CAS R19, [R18], FAR, R12
        ISETP.EQ.U P0, R19, FAR
        @P0 ST.SHARED.W [R10], R12      // found a new one
        IADD    R17, R17, 4
        ISUB    R16, R16, 1
        YIELD
        BRA     edge
followed:
        CONT    next_node
next_node:
        IADD    R13, R13, R1
        YIELD
        BRA     node
looked:
        FENCE
        BARRIER.CONDITIONAL 0, counted
counted:
        LD.SHARED.W R14, [R10]
        MOV     R10, R11
        MOV     R9, R12
        ISETP.NE.U P0, R14, 0
        @P0 BRA level                   // the same for the whole CTA
        EXIT
