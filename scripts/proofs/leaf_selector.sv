// The ring of ready leaves (TD-04, TD-11).

  // Any one warp, the first where there is one only; it starts with a clear; the front leaves only if there is one, and no more leaves wait than there are nodes.
  (* anyconst *) reg [$bits(warp)-1:0] watched;
  wire mine = `WARPS == 1 || warp == watched;
  reg cleared;
  reg [$clog2(`DEPTH):0] waiting;
  always @(posedge clock)
    if (mine && clear_enable) {cleared, waiting} <= {1'b1, {$bits(waiting){1'b0}}};
    else begin
      cleared <= cleared && started;
      if (mine) waiting <= waiting + push_enable - pop_enable;
    end
  always @(*) if (`WARPS == 1) one_warp: assume (!warp);
  always @(*) if (started && mine) commands: assume (cleared || (!push_enable && !pop_enable)) ;
  always @(*) if (started && mine) there_is_one: assume ((!pop_enable || waiting != 0) && (!push_enable || waiting < `DEPTH) && (!push_front || (push_enable && !pop_enable))
    && (!clear_enable || (!push_enable && !pop_enable)));
  // Any leaf is watched from its push on; `before` are those that will be selected first.
  (* anyseq *) reg watch;
  reg watching;
  reg [$bits(waiting)-1:0] before, pushed, passed;
  reg [$bits(push_node)-1:0] node;
  always @(posedge clock)
    if ((mine && clear_enable) || !started) watching <= 1'b0;
    else if (!watching && watch && mine && push_enable) begin
      watching <= 1'b1;
      node <= push_node;
      before <= push_front ? 0 : waiting - pop_enable;
      pushed <= push_front ? 0 : waiting - pop_enable;
      passed <= 0;
    end else if (watching && mine) begin
      before <= before + push_front - pop_enable;
      pushed <= pushed + push_front;
      passed <= passed + pop_enable;
      if (pop_enable && before == 0) watching <= 1'b0;
    end

  // 2. Somebody waits if and only if more were pushed than left.
  always @(*) if (started && mine && cleared) empty_is_true: assert (empty == (waiting == 0));
  // 1. A leaf is selected, unchanged, after as many others as were ready when it was pushed, and were pushed to the front since (TD-04, TD-11).
  always @(*) if (started && mine && watching && passed == pushed) comes_in_turn: assert (front_node == node && !empty);
  // A leaf waits for three others, of which one was pushed before it.
  waits: cover property (started && watching && before == 0 && passed == 3 && pushed == 3);
  // The ring is full.
  full: cover property (started && waiting == `DEPTH);

`ifdef SMALLEST
  (* hierconn *) wire [23:0] \ring.words ;
  wire [2:0] place = head + before[2:0];
  // The ring holds the leaves in their order, from its head on.
  always @(*) if (started && cleared) helper_count: assert (count == waiting && waiting <= 8);
  always @(*) if (started && watching) helper_ring: assert (cleared && before < waiting && passed + before == pushed && \ring.words [place*3+:3] == node);
`endif
