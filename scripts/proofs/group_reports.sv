// What the warps of a leaf have reported and what the tree makes of it (TD-10): when the tree works, and when it rests, whatever they report. The table of masks may do
// anything, but for this: a warp whose turn it is has threads that live, and those that are shown of it do.

  localparam [3:0] COLLECT = 4'd0, UNITE = 4'd3, STORE_UNION = 4'd4, STORE_LAUNCH = 4'd7, LAUNCH = 4'd8;
  localparam [3:0] PUSH = 4'd1, CALL = 4'd4, LEAVE = 4'd5;
  localparam [3:0] IDLE = 0, SEARCH = 1, PREPARE = 6, STOP = 11;
  (* hierconn *) wire [3:0] \masks.state ;
  (* hierconn *) wire \masks.launching ;
  (* hierconn *) wire [`{WARPS - 1}:0] \masks.place ;
  (* hierconn *) wire [`{WARPS - 1}:0] \collector.reported ;
  (* hierconn *) wire \collector.led ;
  (* hierconn *) wire \collector.repeats ;
  (* hierconn *) wire [3:0] \collector.lead_operation ;
  (* hierconn *) wire [`{log2(WARPS * THREADS)}:0] \collector.named_tally ;
  (* hierconn *) wire [`{log2(WARPS * THREADS)}:0] \collector.rest_tally ;
  (* hierconn *) wire [3:0] \core.instruction.sequencer.state ;
  (* hierconn *) wire [2:0] \core.instruction.sequencer.reason ;
  (* hierconn *) wire [3:0] \core.instruction.held.hold_operation ;
  (* hierconn *) wire \core.instruction.held.hold_warp ;
  (* hierconn *) wire \core.warps_present ;
  (* hierconn *) wire [`{WARPS - 1}:0] \threads.alive ;
`ifdef SMALLEST
  (* hierconn *) wire [15:0] \threads.sleepers.words ;
`else
  // Any one position.
  (* anyconst *) reg [$bits(turn_position)-1:0] watched;
  (* hierconn *) wire [$bits(watched)-1:0] \threads.sleepers.look = watched;
  (* hierconn *) wire [8*`THREADS-1:0] \threads.sleepers.looked_at ;
  wire [`THREADS-1:0] sleepers_there = \threads.sleepers.looked_at ;
`endif
  wire [3:0] state = \masks.state ;
  wire [3:0] step = \core.instruction.sequencer.state ;
  wire starts = \masks.launching ;
  wire [`{WARPS - 1}:0] reported = \collector.reported ;
  wire [3:0] operation = \collector.lead_operation ;

  // The first warp of a group stands at its first position.
  always @(*) if (checking && launches && masks_first) launched_in_order: assume (!launch_position);

  // The threads of a leaf live, as do some of its warp (`leaf_is_awake` of `group_divergence_table` says so where there are any, and that they are awake).
`ifdef SMALLEST
  (* hierconn *) wire [15:0] \threads.lives.words ;
  always @(*) if (checking && reports) leaf_lives: assume (\threads.alive [turn_position] && (masks_active & ~\threads.lives.words [8*turn_position+:8]) == 0);
`else
  (* hierconn *) wire [$bits(turn_position)-1:0] \threads.lives.look = turn_position;
  (* hierconn *) wire [8*`THREADS-1:0] \threads.lives.looked_at ;
  wire [`THREADS-1:0] lives_there = \threads.lives.looked_at ;
  always @(*) if (checking && reports) leaf_lives: assume (\threads.alive [turn_position] && (masks_active & ~lives_there) == 0);
`endif

  // 5. While no group runs the tree rests, has no leaf, and no report is left.
  always @(*) if (checking && !running) rests_between_groups: assert (step == IDLE && !\core.warps_present && reported == 0);
  // 5. No instruction is asked of it of which nobody has reported anything, nor one while a warp of its leaf is still to report.
  always @(*) if (checking && core_request_valid && state == COLLECT) asks_what_is_reported: assert (reported != 0
`ifdef SMALLEST
    && (core_query_mask[3:0] == 0 || reported[0]) && (core_query_mask[7:4] == 0 || reported[1]));
`else
    && (core_query_mask[$bits(turn_index)*watched+:$bits(turn_index)] == 0 || reported[watched]));
`endif
  // 6. A group is launched while none runs.
  always @(*) if (checking && starts) launched_alone: assert (!running);
  // 5. While threads that part, unite or wake are stored a group runs, and the tree waits for them.
  always @(*) if (checking && state != COLLECT && !starts) waits_for_masks: assert (running && (step == IDLE || (step == SEARCH && (state == UNITE || state == STORE_UNION))));
  // 5. Before the first report since a reset nothing is asked of the tree but to start a group: what the registers of the reports hold until then is nobody's business.
  reg heard;
  always @(posedge clock) heard <= !reset && (heard || reports);
  always @(*) if (checking && !heard) asks_nothing_unheard: assert (!core_request_valid && (step == IDLE || step == STOP));

  // Of a leaf of which nobody has reported nothing is known.
  always @(*) if (checking && reported == 0) helper_reported: assert (!\collector.led && !\collector.repeats && \collector.named_tally == 0 && \collector.rest_tally == 0);
  always @(*) if (checking) helper_states: assert (state <= LAUNCH && step <= STOP && !\core.instruction.held.hold_warp && (step == IDLE || running)
    && (state == STORE_LAUNCH || state == LAUNCH ? \masks.launching : state == COLLECT || !\masks.launching ));
  always @(*) if (checking && step == PREPARE) helper_prepare: assert (state == COLLECT && reported != 0 && (operation == PUSH || operation == CALL));
  always @(*) if (checking && step == STOP && reported != 0) helper_stop: assert (state == COLLECT && \core.instruction.sequencer.reason == 3 && (operation == PUSH || operation == CALL));
  always @(*) if (checking && step == SEARCH) helper_search: assert (\core.instruction.held.hold_operation == LEAVE && reported == 0);
  always @(*) if (checking && !heard) helper_unheard: assert ((state == COLLECT || state == STORE_LAUNCH || state == LAUNCH) && reported == 0
`ifdef SMALLEST
    && (!\threads.alive [0] || \threads.sleepers.words [7:0] == 0) && (!\threads.alive [1] || \threads.sleepers.words [15:8] == 0));
`else
    && (!\threads.alive [watched] || sleepers_there == 0));
`endif
  // What joins at a node further up does so until its masks are united.
  always @(*) if (checking && step == SEARCH && state != COLLECT) helper_unites: assert (core_joining && joiner_pending && joiner_hot == \masks.place );

  // All warps of a leaf have reported, and the tree takes their instruction.
  takes: cover property (checking && changed);
