
  // Where the sequencer is counts while it searches, climbs, counts, or has a leaf that goes to memory.
  (* keep *) wire [13:0] heddle_alike_position = state >= SEARCH && state <= DEFER ? cursor : 14'd0;

  // A leaf is held for the memory alone; one of a climb is loaded again by the node that resumes.
  (* hierconn *) wire [21:0] \core.instruction.held.hold_target ;
  wire holds = state == SEARCH || state == COUNT || state == DEFER || state == EVICT || state == PREPARE;
  (* keep *) wire [29:0] heddle_alike_leaf = holds ? {\core.instruction.held.hold_target , \core.instruction.held.hold_mask } : 30'd0;
