// The token deque (DQ-05 to DQ-12), with the hardware handler, as one warp uses it.

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
  // Memory answers what it was asked, once, until that is taken, with what was written there last; of that one slot is looked at, in which the watched
  // token lies if it was spilled. Software does not write.
  (* hierconn *) wire [11:0] \spill_part.slot ;
  reg asked, answering;
  reg [11:0] asked_slot, cell_slot;
  reg [63:0] cell, past_answer;
  wire writes = memory_request_valid && memory_request_ready && memory_request_write;
  always @(posedge clock) begin
    if (reset) asked <= 1'b0;
    else asked <= (asked && !(memory_response_valid && memory_response_ready)) || (memory_request_valid && memory_request_ready && !memory_request_write);
    if (memory_request_valid && memory_request_ready && !memory_request_write) asked_slot <= \spill_part.slot ;
    answering <= !reset && memory_response_valid && !memory_response_ready;
    past_answer <= memory_response_data;
    if (writes && spills_watched) cell_slot <= \spill_part.slot ;
    if (writes && (spills_watched || \spill_part.slot == cell_slot)) cell <= memory_request_data;
  end
  always @(*) if (checking) memory_answers: assume ((!memory_response_valid || asked) && (!answering || (memory_response_valid && memory_response_data == past_answer))
    && (!memory_response_valid || asked_slot != cell_slot || memory_response_data == cell));
  always @(*) if (checking) software_rests: assume (!window_write && !handler_pointer_write && !handler_done);

  // The tables were swept once after reset; from then on the pointers mean something.
  reg ready;
  always @(posedge clock) ready <= !reset && (ready || !sweep_enable);

  // 3. The head is not behind the tail, and both lie in the window (DQ-05).
  always @(*) if (checking && ready && !sweep_enable) head_not_behind_tail: assert (queue_tail <= queue_head && queue_head <= `DEPTH);
  // 3. An empty queue lies at the middle (DQ-05, DQ-08).
  always @(*) if (checking && ready && !sweep_enable && spill_count == 0 && !sequencer_recentering && !sequencer_spilling && queue_head == queue_tail)
    empty_lies_in_the_middle: assert (queue_head == `DEPTH / 2);
  // A token enters the window at an entry that holds none (DQ-08).
  always @(*) if (checking && ready && (push_now || sequencer_place_now)) enters_a_free_entry: assert (
    control_write_index < `DEPTH && (control_write_index < queue_tail || control_write_index >= queue_head));
  // A token leaves only if there is one, or passes the empty queue in that cycle (DQ-06).
  always @(*) if (checking && ready && token_left) leaves_if_there: assert (queue_tail < queue_head || (token_entered && queue_tail == queue_head && !spilled));
  // 4. An operation that meets the end of its window changes nothing in the cycle of the exception, nor while the window is moved (DQ-09).
  always @(*) if (checking && ready && (sequencer_recenter_start || sequencer_recentering)) exceptions_are_precise: assert (
    !operation_ready && !token_left && !token_entered && !(control_head_write && !recenter_finished) && !(control_tail_write && !recenter_finished));
  // Any token pushed at the front is watched, wherever it lies; `before` are those that will be popped first.
  (* anyseq *) reg watch;
  reg watching;
  reg [12:0] before;
  reg [31:0] mask;
  reg [21:0] address;
  reg [3:0] kind;
  wire front_entry = push_now || (sequencer_place_now && sequencer_front);
  always @(posedge clock)
    if (reset || sweep_enable) watching <= 1'b0;
    else if (!watching && watch && front_entry) begin
      watching <= 1'b1;
      before <= 0;
      {kind, mask, address} <= push_now ? {push_kind, push_mask, push_address} : {operation_kind, operation_mask, operation_address};
    end else if (watching) begin
      before <= before + front_entry - token_left;
      if (token_left && before == 0 && !front_entry) watching <= 1'b0;
    end
  wire [$bits(queue_head)-1:0] in_window = queue_head - queue_tail;
  wire spills_watched = watching && sequencer_spilling && sequencer_spill_command[0] && before + 1'b1 == in_window;
  reg popped, away, popped_from_memory;
  reg [57:0] popped_token;
  always @(posedge clock) begin
    if (!watching) away <= 1'b0;
    else if (writes && spills_watched) away <= 1'b1;
    popped_from_memory <= away;
    popped <= !reset && watching && token_left && before == 0 && operation_ready;
    popped_token <= {kind, mask, address};
  end
  // 1. What is popped is what an unbounded deque would give, whether it was moved in its window or spilled and brought back: a token comes back unchanged when
  // those pushed after it are gone (DQ-08).
  always @(*) if (checking && ready && popped) pops_in_order: assert ({response_kind, response_mask, response_address} == popped_token && response_valid && response_found);

  // 1. So does one that was in memory (DQ-08).
  always @(*) if (checking && ready && popped && popped_from_memory) returns_from_memory: assert ({response_kind, response_mask, response_address} == popped_token && response_valid && response_found);

  // A token comes back from memory.
  from_memory: cover property (checking && ready && popped && popped_from_memory);
`ifdef GUIDED
  // On the way there: nine different tokens are pushed, one more than the window holds, then all are popped; memory answers at once.
  reg [3:0] pushed;
  wire pops = pushed == 9;
  always @(posedge clock) pushed <= reset ? 0 : pushed + (operation_ready && operation_valid && !pops);
  always @(*) if (started) all_the_way: assume (!reset && !push_valid && operation_valid && !operation_announce && operation_code == (pops ? 0 : 1) && operation_kind == 1
    && operation_mask == pushed && operation_address == 0 && spill_limit == 8 && watch && memory_request_ready && memory_response_valid == asked
    && (asked_slot == cell_slot || memory_response_data == 0));
`endif

  // A watched token comes back after another was pushed and popped before it.
  comes_back: cover property (checking && ready && popped && response_code == 0);

`ifdef SMALLEST
  (* hierconn *) wire \sequencer.scans ;
  (* hierconn *) wire \sequencer.recenters ;
  (* hierconn *) wire \sequencer.seeks ;
  (* hierconn *) wire \sequencer.spills ;
  (* hierconn *) wire \sequencer.stops ;
  (* hierconn *) wire \sequencer.placed ;
  (* hierconn *) wire [4:0] \sequencer.command ;
  (* hierconn *) wire [2:0] \spill_part.step ;
  (* hierconn *) wire \spill_part.showing ;
  (* hierconn *) wire [11:0] \spill_part.cursor ;
  (* hierconn *) wire \path.show_passed ;
  (* hierconn *) wire \flags.yielded ;
  (* hierconn *) wire [511:0] \window.words ;
  (* hierconn *) wire [3:0] \control.viewed ;
  (* hierconn *) wire \recenter.moving ;
  (* hierconn *) wire \recenter.writing ;
  (* hierconn *) wire [3:0] \recenter.moved ;
  (* hierconn *) wire [3:0] \recenter.next ;
  (* hierconn *) wire [3:0] \recenter.new_tail_at ;
  wire scans = \sequencer.scans ;
  wire recenters = \sequencer.recenters ;
  wire seeks = \sequencer.seeks ;
  wire spills = \sequencer.spills ;
  wire [4:0] command = \sequencer.command ;
  wire [2:0] step = \spill_part.step ;
  localparam [2:0] START = 0, REQUEST = 1, ANSWER = 2, WRITE = 3, RELEASE = 4;
  localparam [4:0] SPILL = 5'b00001, SEARCH = 5'b00010, REFILL = 5'b00100, APPEND = 5'b01000, FIND = 5'b10000;

  // At most one thing is under way, and all but the sweep for an operation that waits.
  always @(*) if (checking) helper_one_thing: assert (sweep_enable + scans + recenters + seeks + spills <= 1 && !\sequencer.stops
    && (!(scans || recenters || seeks || spills) || (waits && operation_valid)) && (!\sequencer.placed || (waits && sequencer_back && !sweep_enable)) && (!ready || sequencer_swept));
  // The sweep writes this warp's entries, one after the other.
  wire known = ready || !sweep_enable || sweep != 0;
  always @(*) if (checking) helper_sweep: assert ((!sweep_enable || sweep < 16) && (ready || sequencer_swept || sweep_enable)
    && (!sweep_enable || sweep == 0 || (queue_head == 4 && queue_tail == 4 && spill_count == 0 && !\flags.yielded )));
  // Both ends lie in the window, an empty one in the middle; the flag and the count of what is in memory agree, and there is no more than fits.
  always @(*) if (checking && known) helper_ends: assert (queue_tail <= queue_head && queue_head <= 8 && (queue_head != queue_tail || queue_head == 4)
    && spilled == (spill_count != 0) && spill_count <= spill_limit && pointers_push_head == queue_head);
  // An empty queue holds no yield token (DQ-07).
  always @(*) if (checking && known && queue_head == queue_tail && !spilled) helper_no_yield: assert (!\flags.yielded );
  // The spill engine rests, or does what the operation needs: a push front to a full window spills until it is half empty, a pop refills
  // until it is half full, a push behind goes where there is room, a search reads.
  always @(*) if (checking) helper_spill: assert (step <= 4 && (step != START || !\spill_part.showing )
    && (seeks || spills || step == START || step == RELEASE)
    && (!spills || (command == SPILL && sequencer_front && queue_head == 8 && queue_tail < 4 && (step == START || (step == WRITE && spill_count != spill_limit)))
      || (command == REFILL && sequencer_pop && queue_head == 4 && queue_tail != 0 && (step == START || step == REQUEST || (step == ANSWER && spilled)))
      || (command == APPEND && sequencer_back && spill_count != spill_limit && (step == START || step == WRITE)))
    && (!seeks || (command == SEARCH && sequencer_back && step != RELEASE) || (command == FIND && sequencer_find && step != WRITE && step != RELEASE)));
  // The window is moved for a push that met its end; nothing else shows then.
  always @(*) if (checking) helper_recenter: assert (recenters == \recenter.moving && (!recenters || (step == START && !\path.show_passed
    && queue_tail < queue_head && (sequencer_front ? queue_head == 8 && queue_tail != 0 : sequencer_back && queue_tail == 0 && queue_head != 8))));
  // While a window is moved, the entry in view is the one to move next.
  always @(*) if (checking && recenters) helper_view: assert (\control.viewed == \recenter.next );
  // A search in the window sees the entry in view.
  always @(*) if (checking && scans) helper_scan: assert (\control.viewed < 8 && !\path.show_passed && step == START && (sequencer_find ? command == FIND : sequencer_back)
    && window_read_data == \window.words [{\control.viewed [2:0], 6'd0}+:64]);
  // The area is a circle of `spill_limit` slots.
  wire [12:0] past_end = spill_first + spill_count;
  always @(*) if (checking && known) helper_area: assert (spill_limit == 0 ? spill_first == 0 && spill_end == 0 && spill_count == 0
    : spill_first < spill_limit && spill_end < spill_limit && spill_end == (past_end >= spill_limit ? past_end - spill_limit : past_end));
  // The cursor is where the command works; memory is asked for that slot.
  always @(*) if (checking && step != START && step != RELEASE) helper_cursor: assert (command == SEARCH || command == FIND || \spill_part.cursor == (command == APPEND ? spill_end : spill_first));
  always @(*) if (checking) helper_asked: assert (asked == (step == ANSWER || step == RELEASE || (step == WRITE && command == SEARCH)) && (!(step == ANSWER || (step == WRITE && command == SEARCH)) || asked_slot == \spill_part.slot )
    && \spill_part.showing == (step == ANSWER || step == RELEASE || (step == WRITE && command == SEARCH)) && (!(step == RELEASE || (step == WRITE && command == SEARCH)) || answering));
  // What is spilled next is in view.
  always @(*) if (checking && spills && command == SPILL && step == WRITE) helper_spilled: assert (!\path.show_passed && window_read_data == \window.words [{queue_tail[2:0], 6'd0}+:64]);
  // Where the watched token lies: in the window, in the new window if it was moved there already, or in memory.
  wire [3:0] old_place = queue_head - 1'b1 - before[3:0];
  wire [3:0] new_place = \recenter.new_tail_at + (old_place - queue_tail);
  wire was_moved = recenters && (sequencer_front ? old_place - queue_tail < \recenter.moved : before < \recenter.moved );
  wire [2:0] place = was_moved ? new_place[2:0] : old_place[2:0];
  wire [57:0] placed_token = \window.words [{place, 6'd0}+:58];
  always @(*) if (checking && watching) helper_watched: assert (kind != KIND_YIELD && (before >= in_window || {kind, mask, address} == {placed_token[3:0], placed_token[35:4], placed_token[57:36]}));
  wire [12:0] slot_of = spill_first + (before - in_window);
  always @(*) if (checking && watching && before >= in_window) helper_in_memory: assert (before - in_window < spill_count && {kind, mask, address} == {cell[3:0], cell[35:4], cell[57:36]}
    && cell_slot == (slot_of >= spill_limit ? slot_of - spill_limit : slot_of));
  always @(*) if (checking && watching && before < in_window && recenters && \recenter.writing && !was_moved && old_place == \recenter.next )
    helper_in_hand: assert ({window_read_data[3:0], window_read_data[35:4], window_read_data[57:36]} == {kind, mask, address});
  // What was popped is shown from the window, in the cycle after.
  always @(*) if (checking && popped) helper_popped: assert (!\spill_part.showing && !\path.show_passed && response_valid && response_found
    && {window_read_data[3:0], window_read_data[35:4], window_read_data[57:36]} == popped_token);
  // While memory is at work nothing else is shown; what a search writes back is the yield token that it has found.
  always @(*) if (checking) helper_shown: assert ((!(seeks || spills) || !\path.show_passed ) && (step != WRITE || command != SEARCH || sequencer_sought));
`endif
