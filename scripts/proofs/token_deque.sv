// The token deque (DQ-05 to DQ-12), with the hardware handler, at a point with one warp.

  // One warp; the hardware handles exceptions; the limit of the spill area stands still.
  reg [11:0] past_limit;
  always @(posedge clock) past_limit <= spill_limit;
  always @(*) if (checking) one_warp: assume (!push_warp && !operation_warp && !handler_software);
  always @(*) if (started) limit_is_static: assume (spill_limit == past_limit);
  // An operation is one of six and stands still until it is ready; one that was announced comes; front pushes carry any kind but yield.
  reg waits, announced;
  reg [2:0] past_code;
  reg [3:0] past_kind;
  reg [31:0] past_mask;
  reg [21:0] past_address;
  always @(posedge clock) begin
    waits <= !reset && (operation_valid || operation_announce) && !operation_ready;
    announced <= !reset && operation_announce;
    past_code <= operation_code;
    past_kind <= operation_kind;
    past_mask <= operation_mask;
    past_address <= operation_address;
  end
  always @(*) if (checking) operations_hold: assume (operation_code <= 5 && push_kind != KIND_YIELD && (operation_code != 1 || operation_kind != KIND_YIELD)
    && (!operation_announce || (!operation_valid && (operation_code == 2 || operation_code == 4)))
    && (!waits || (operation_valid && !operation_announce && operation_code == past_code && operation_kind == past_kind && operation_mask == past_mask && operation_address == past_address)));
  // Memory answers what it was asked, and software does not write.
  reg asked;
  always @(posedge clock)
    if (reset) asked <= 1'b0;
    else asked <= (asked && !(memory_response_valid && memory_response_ready)) || (memory_request_valid && memory_request_ready && !memory_request_write);
  always @(*) if (checking) memory_answers: assume ((!memory_response_valid || asked) && !window_write && !handler_pointer_write && !handler_done);

  // The tables were swept once after reset; from then on the pointers mean something.
  reg ready;
  always @(posedge clock) ready <= !reset && (ready || !sweep_enable);

  // 3. The head is not behind the tail, and both lie in the window (DQ-05).
  always @(*) if (checking && ready && !sweep_enable) head_not_behind_tail: assert (queue_tail <= queue_head && queue_head <= 8);
  // 3. An empty queue lies at the middle (DQ-05, DQ-08).
  always @(*) if (checking && ready && !sweep_enable && spill_count == 0 && !sequencer_recentering && !sequencer_spilling && queue_head == queue_tail)
    empty_lies_in_the_middle: assert (queue_head == 4);
  // A token enters the window at an entry that holds none (DQ-08).
  always @(*) if (checking && ready && (push_now || sequencer_place_now)) enters_a_free_entry: assert (
    control_write_index < 8 && (control_write_index < queue_tail || control_write_index >= queue_head));
  // A token leaves only if there is one.
  always @(*) if (checking && ready && token_left) leaves_if_there: assert (queue_tail < queue_head);
  // 4. An operation that meets the end of its window changes nothing in the cycle of the exception, nor while the window is moved (DQ-09).
  always @(*) if (checking && ready && (sequencer_recenter_start || sequencer_recentering)) exceptions_are_precise: assert (
    !operation_ready && !token_left && !token_entered && !(control_head_write && !recenter_finished) && !(control_tail_write && !recenter_finished));
  // Any token pushed at the front is watched while nothing is spilled; `before` are those that will be popped first.
  (* anyseq *) reg watch;
  reg watching;
  reg [4:0] before;
  reg [31:0] mask;
  reg [21:0] address;
  reg [3:0] kind;
  wire front_entry = push_now || (sequencer_place_now && sequencer_front);
  always @(posedge clock)
    if (reset || sweep_enable || spilled || sequencer_spilling) watching <= 1'b0;
    else if (!watching && watch && front_entry) begin
      watching <= 1'b1;
      before <= 0;
      {kind, mask, address} <= push_now ? {push_kind, push_mask, push_address} : {operation_kind, operation_mask, operation_address};
    end else if (watching) begin
      before <= before + front_entry - token_left;
      if (token_left && before == 0 && !front_entry) watching <= 1'b0;
    end
  reg popped;
  reg [57:0] popped_token;
  always @(posedge clock) begin
    popped <= !reset && watching && token_left && before == 0 && operation_ready;
    popped_token <= {kind, mask, address};
  end
  // 1. What is popped is what an unbounded deque would give: a token comes back unchanged when those pushed after it are gone (DQ-08).
  always @(*) if (checking && ready && popped) pops_in_order: assert ({response_kind, response_mask, response_address} == popped_token && response_valid && response_found);

  // A watched token comes back after another was pushed and popped before it.
  comes_back: cover property (checking && ready && popped && response_code == 0);
