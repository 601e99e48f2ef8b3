// What of a group's tree lies in memory (TD-09, TD-10), and what the group keeps at the ports of its tree. Nothing here is of one size of the spill area.

  localparam SLOT_BITS = `{log2(WARPS * THREADS)};
  // include tree_ports
  // include tree_rest
  // include tree_memory

  (* hierconn *) wire [3:0] \masks.state ;
  (* hierconn *) wire \masks.launching ;
  (* hierconn *) wire [`{WARPS - 1}:0] \collector.reported ;
  (* hierconn *) wire [2:0] \core.instruction.sequencer.reason ;
  localparam [3:0] COLLECT = 4'd0, STORE_LAUNCH = 4'd7, LAUNCH = 4'd8, WAKES = 4'd9;
  wire reported = \collector.reported != 0;
  // A group that is launched does not run yet.
  always @(*) if (checking) helper_launches: assert (\masks.state <= LAUNCH && (!(\masks.launching || \masks.state == LAUNCH) || !running)
    && (\masks.state != STORE_LAUNCH || \masks.launching ));
  // From the first report to the last the leaf stays: the tree is at rest, or makes room for the instruction, or works for those that woke.
  always @(*) if (checking) helper_reports: assert (!reported || (running && present && (state == IDLE || state == EVICT || state == PREPARE || state == STOP
    || ((state == DEFER || state == MAINTAIN) && \core.instruction.held.hold_operation == WAKES))));
  // A group is not saved.
  always @(*) if (checking) helper_operations: assert (collector_operation < WAKES && \core.instruction.held.hold_operation <= WAKES && \core.instruction.sequencer.reason != 7);
`ifdef GUIDED
  // On the way there: one warp is launched and opens regions until there is no node left, and memory has room.
  always @(*) if (started) all_the_way: assume (!reset && launch_valid == !running && launch_last && !launch_position && launch_mask == `{THREADS}'h`{"f" * (THREADS // 4)} && request_valid
    && (request_operation == 1 || (request_operation == 0 && \core.free_none )) && request_kind == 6 && request_mask == `{THREADS}'h`{"f" * (THREADS // 4)} && spill_limit == 1024 && memory_request_ready
    && memory_response_valid == asked);
`endif
