// The ring of ready leaves (TD-04, TD-11), at a point with one warp.

  // One warp; it starts with a clear; the front leaves only if there is one, and no more leaves wait than there are nodes.
  reg cleared;
  reg [3:0] waiting;
  always @(posedge clock)
    if (clear_enable) {cleared, waiting} <= {1'b1, 4'd0};
    else {cleared, waiting} <= {cleared && started, waiting + push_enable - pop_enable};
  always @(*) one_warp: assume (!warp);
  always @(*) if (started) commands: assume (cleared || (!push_enable && !pop_enable)) ;
  always @(*) if (started) there_is_one: assume ((!pop_enable || waiting != 0) && (!push_enable || waiting < 8) && (!push_front || (push_enable && !pop_enable))
    && (!clear_enable || (!push_enable && !pop_enable)));
  // Any leaf is watched from its push on; `before` are those that will be selected first.
  (* anyseq *) reg watch;
  reg watching;
  reg [3:0] before, pushed, passed;
  reg [2:0] node;
  always @(posedge clock)
    if (clear_enable || !started) watching <= 1'b0;
    else if (!watching && watch && push_enable) begin
      watching <= 1'b1;
      node <= push_node;
      before <= push_front ? 0 : waiting - pop_enable;
      pushed <= push_front ? 0 : waiting - pop_enable;
      passed <= 0;
    end else if (watching) begin
      before <= before + push_front - pop_enable;
      pushed <= pushed + push_front;
      passed <= passed + pop_enable;
      if (pop_enable && before == 0) watching <= 1'b0;
    end

  // Somebody waits if and only if more were pushed than left.
  always @(*) if (started && cleared) empty_is_true: assert (empty == (waiting == 0));
  // 1. A leaf is selected, unchanged, after as many others as were ready when it was pushed, and were pushed to the front since (TD-04, TD-11).
  always @(*) if (started && watching && passed == pushed) comes_in_turn: assert (front_node == node && !empty);
  // A leaf waits for three others, of which one was pushed before it.
  waits: cover property (started && watching && before == 0 && passed == 3 && pushed == 3);
  // The ring is full.
  full: cover property (started && waiting == 8);

  (* hierconn *) wire [23:0] \ring.words ;
  wire [2:0] place = head + before[2:0];
  // The ring holds the leaves in their order, from its head on.
  always @(*) if (started && cleared) helper_count: assert (count == waiting && waiting <= 8);
  always @(*) if (started && watching) helper_ring: assert (cleared && before < waiting && passed + before == pushed && \ring.words [place*3+:3] == node);
