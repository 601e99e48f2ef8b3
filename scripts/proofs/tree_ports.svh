  // What a tree assumes of who drives its ports, be it the user of `tree_divergence_table` or the group around it.
  (* hierconn *) wire \core.launch_valid ;
  (* hierconn *) wire \core.request_valid ;
  (* hierconn *) wire \core.request_ready ;
  (* hierconn *) wire [3:0] \core.request_operation ;
  (* hierconn *) wire [3:0] \core.request_kind ;
  (* hierconn *) wire`{range(WARPS * log2(COLUMNS) if COLUMNS else THREADS)} \core.request_mask ;
  (* hierconn *) wire [21:0] \core.request_target ;
  (* hierconn *) wire \core.request_targeted ;
  (* hierconn *) wire \core.request_again ;
  (* hierconn *) wire \core.warp_running ;
  (* hierconn *) wire \core.instruction_stop ;
  (* hierconn *) wire \core.joining ;
  wire`{range(32 + (WARPS * log2(COLUMNS) if COLUMNS else THREADS))} offered = {\core.request_operation , \core.request_kind , \core.request_mask , \core.request_target , \core.request_targeted , \core.request_again };
  reg refused;
  reg`{range(32 + (WARPS * log2(COLUMNS) if COLUMNS else THREADS))} past_offered;
  always @(posedge clock) begin
    refused <= !reset && \core.request_valid && !\core.request_ready && !\core.instruction_stop && !\core.joining ;
    past_offered <= offered;
  end
  // `group_divergence_table` 6. A warp that runs is not launched.
  always @(*) if (checking) launches_what_rests: assume (!\core.launch_valid || !\core.warp_running );
  // `group_divergence_table` 6. An instruction that was not taken stays on the port as it is until it is, unless its warp ends, or the union with those who have
  // arrived is being settled.
  always @(*) if (checking && refused) refused_stays: assume (\core.request_valid && offered == past_offered);
