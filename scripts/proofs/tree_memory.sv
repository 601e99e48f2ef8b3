// What of a tree lies in memory, and what its user keeps at its ports (TD-09, TD-11). Nothing here is of one size of the spill area.

  localparam SLOT_BITS = 6;
  // One warp; a kind of which a thread can wait is looked at.
  always @(*) one_warp: assume (!request_warp && !launch_warp && !query_warp);
  always @(*) asks_of_a_kind: assume (query_kind >= 1 && query_kind <= 9);
  // include tree_ports
  // include tree_rest
  // include tree_memory
`ifdef GUIDED
  // On the way there: regions are opened until there is no node left, and memory has room.
  always @(*) if (started) all_the_way: assume (!reset && launch_valid == !warp_running && request_valid
    && (request_operation == 1 || (request_operation == 0 && \core.free_none )) && request_kind == 6 && spill_limit == 1024 && memory_request_ready && memory_response_valid == asked);
`endif
