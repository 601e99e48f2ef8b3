
  // Who reported first says what the instruction is; until then that counts for nobody.
  (* hierconn *) wire [3:0] \collector.lead_kind ;
  (* hierconn *) wire [21:0] \collector.lead_target ;
  (* hierconn *) wire \collector.lead_targeted ;
  (* hierconn *) wire [3:0] \core.instruction.held.hold_kind ;
  (* hierconn *) wire [7:0] \core.instruction.held.hold_mask ;
  (* hierconn *) wire [21:0] \core.instruction.held.hold_target ;
  (* hierconn *) wire \core.instruction.held.hold_targeted ;
  (* hierconn *) wire \core.instruction.held.hold_again ;
  wire [30:0] lead = {\collector.lead_operation , \collector.lead_kind , \collector.lead_target , \collector.lead_targeted };
  (* keep *) wire [30:0] heddle_alike_lead = reported != 0 ? lead : 31'd0;
  // The tree keeps what it was asked last, which counts while it is at it; of a wake-up, which nobody has reported, not its kind, nor whether it has a target.
  localparam [3:0] WAKE = 4'd9;
  wire rests = step == IDLE || step == STOP;
  wire [4:0] kind_of_it = {\core.instruction.held.hold_kind , \core.instruction.held.hold_targeted };
  wire [39:0] held = {\core.instruction.held.hold_operation , \core.instruction.held.hold_target , \core.instruction.held.hold_again , \core.instruction.held.hold_mask ,
    \core.instruction.held.hold_operation == WAKE ? 5'd0 : kind_of_it};
  (* keep *) wire [39:0] heddle_alike_held = rests ? 40'd0 : held;

  // The indices of the named and of the rest count while the group is launched, and while it runs.
  wire in_use = running || \masks.launching || state == LAUNCH;
  (* hierconn *) wire [3:0] \collector.named_index_0 ;
  (* hierconn *) wire [3:0] \collector.named_index_1 ;
  (* hierconn *) wire [3:0] \collector.rest_index_0 ;
  (* hierconn *) wire [3:0] \collector.rest_index_1 ;
  wire [7:0] named_indices = {\collector.named_index_1 , \collector.named_index_0 };
  (* keep *) wire [7:0] heddle_alike_named = in_use ? named_indices : 8'd0;
  // That of the first position is put there by its launch, with which one begins.
  (* keep *) wire [7:0] heddle_alike_launched = in_use ? {\collector.named_index_1 , state == STORE_LAUNCH && \masks.place [0] ? 4'd0 : \collector.named_index_0 } : 8'd0;

  // So does all that the warps have reported.
  wire [44:0] reports_of_all = {reported, \collector.led , \collector.repeats , \collector.rest_index_1 , \collector.rest_index_0 , reported != 0 ? lead : 31'd0};
  (* keep *) wire [62:0] heddle_alike_reports = in_use ? {reports_of_all, named_indices, \collector.named_tally , \collector.rest_tally } : 63'd0;

  // Where the sequencer is counts while it searches, climbs, counts, or has a leaf that goes to memory.
  localparam [3:0] CLIMB = 2, COUNT = 3, DEFER = 4, EVICT = 5;
  (* hierconn *) wire [13:0] \core.instruction.sequencer.position ;
  (* keep *) wire [13:0] heddle_alike_position = step >= SEARCH && step <= DEFER ? \core.instruction.sequencer.position : 14'd0;

  // A leaf is held for the memory alone; one of a climb is loaded again by the node that resumes.
  wire holds = step == SEARCH || step == COUNT || step == DEFER || step == EVICT || step == PREPARE;
  (* keep *) wire [29:0] heddle_alike_leaf = holds ? {\core.instruction.held.hold_target , \core.instruction.held.hold_mask } : 30'd0;

  // Masks that are to be united are told by their indices, of which the second is looked at in the step after.
  (* hierconn *) wire [3:0] \masks.second_index ;
  (* keep *) wire [3:0] heddle_alike_second = state == UNITE ? \masks.second_index : 4'd0;

  // A leaf of which nobody is named stays what it was: each of its warps has reported the index of all its threads there, the others none. Who names threads at an EXIT has told their index.
  wire [7:0] rest_indices = {\collector.rest_index_1 , \collector.rest_index_0 };
  (* keep *) wire heddle_invariant_nobody_named = \collector.led || reported == 0 || step == STOP
    || (rest_indices == (core_query_mask & {{4{reported[1]}}, {4{reported[0]}}}) && named_indices == 0);
  (* hierconn *) wire [7:0] \core.leaves.leaf.masks.words ;
  (* hierconn *) wire [7:0] \core.leaves.leaf.masks_query.words ;
  (* keep *) wire heddle_invariant_leaf = !\core.warps_present || \core.leaves.leaf.masks.words == \core.leaves.leaf.masks_query.words ;
  (* keep *) wire heddle_invariant_reported = (!reported[0] || core_query_mask[3:0] != 0) && (!reported[1] || core_query_mask[7:4] != 0);
  localparam [3:0] EXIT = 4'd7;
  localparam [3:0] STORE_NAMED = 1, STORE_REST = 2;
  localparam [3:0] MAINTAIN = 7;
  wire wakes_there = \core.instruction.held.hold_operation == WAKE && (step == DEFER || step == MAINTAIN);
  (* keep *) wire heddle_invariant_waits = reported == 0 || step == STOP
    || (\core.warps_present && (step == IDLE || step == PREPARE || step == EVICT || wakes_there));
  (* keep *) wire heddle_invariant_parts = !(state == STORE_NAMED || state == STORE_REST) || \collector.led ;
  reg leader;
  always @(posedge clock) if (reports && !\collector.led ) leader <= turn_position;
  (* keep *) wire heddle_invariant_exits = !\collector.led || (reported[leader] && (operation != EXIT
    || ((leader ? named_indices[7:4] : named_indices[3:0]) != 0 && !(state == STORE_NAMED && \masks.place [leader]))));
  // Warps that have reported live, until somebody is named.
  (* keep *) wire heddle_invariant_alive = (!\threads.alive [0] || \threads.lives.words [7:0] != 0) && (!\threads.alive [1] || \threads.lives.words [15:8] != 0);
  (* keep *) wire heddle_invariant_reporters_live = \collector.led || (reported & ~\threads.alive ) == 0;
