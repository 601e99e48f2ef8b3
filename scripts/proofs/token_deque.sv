// The token deque (DQ-05 to DQ-12), with the hardware handler, as one warp uses it.

  // One warp; the hardware handles exceptions; the limit of the spill area stands still after a reset.
  reg [11:0] past_limit;
  reg limited_before;
  always @(posedge clock) {limited_before, past_limit} <= {checking, spill_limit};
  always @(*) if (checking) one_warp: assume (!push_warp && !operation_warp);
  always @(*) if (checking) hardware_handles: assume (!handler_software);
  always @(*) if (checking && limited_before) limit_is_static: assume (spill_limit == past_limit);
  // An operation is one of six and stands still, with what it needs, until it is ready. One that was announced comes: a find of that kind, or, if there is no such token, a back push
  // instead; a back push, whose kind, threads and address are known only then.
  reg waits, announced, past_found;
  reg [2:0] past_code;
  reg [3:0] past_kind;
  reg [31:0] past_mask;
  reg [21:0] past_address;
  always @(posedge clock) begin
    waits <= !reset && (operation_valid || operation_announce) && !operation_ready;
    announced <= !reset && operation_announce;
    past_found <= operation_found;
    past_code <= operation_code;
    past_kind <= operation_kind;
    past_mask <= operation_mask;
    past_address <= operation_address;
  end
  wire pushes_back = operation_code == 2 || operation_code == 3;
  always @(*) if (checking) operations_hold: assume (operation_code <= 5 && (!operation_announce || (!operation_valid && (pushes_back || operation_code == 4)))
    && (!waits || (operation_valid && !operation_announce))
    && (!waits || announced || (operation_code == past_code && (operation_code == 0 || operation_code == 5
      || (operation_kind == past_kind && (operation_code == 4 || (operation_mask == past_mask && operation_address == past_address))))))
    && (!announced || (past_code == 4 ? operation_code == 4 && operation_kind == past_kind || !past_found && pushes_back : pushes_back)));
  // Memory answers what it was asked, once, until that is taken, with what was written there last; of that one slot is looked at, in which the watched
  // token lies if it is in memory. Software does not write.
  (* hierconn *) wire [11:0] \spill_part.slot ;
  reg asked, answering;
  reg [11:0] asked_slot, cell_slot;
  reg [63:0] cell, past_answer;
  wire writes = memory_request_valid && memory_request_ready && memory_request_write;
  wire asks = memory_request_valid && !memory_request_write;
  always @(posedge clock) begin
    if (reset) asked <= 1'b0;
    else asked <= (asked && !(memory_response_valid && memory_response_ready)) || (asks && memory_request_ready);
    if (asks && memory_request_ready) asked_slot <= \spill_part.slot ;
    answering <= !reset && memory_response_valid && !memory_response_ready;
    past_answer <= memory_response_data;
    if (writes && watched_to_memory) cell_slot <= \spill_part.slot ;
    if (writes && (watched_to_memory || \spill_part.slot == cell_slot)) cell <= memory_request_data;
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
  // 3. A token enters the window at an entry that holds none (DQ-08).
  always @(*) if (checking && ready && (push_now || sequencer_place_now)) enters_a_free_entry: assert (
    control_write_index < `DEPTH && (control_write_index < queue_tail || control_write_index >= queue_head));
  // 1. A token leaves only if there is one, or passes the empty queue in that cycle (DQ-06).
  always @(*) if (checking && ready && token_left) leaves_if_there: assert (queue_tail < queue_head || (token_entered && queue_tail == queue_head && !spilled));
  // 4. An operation for which the window is moved changes nothing in the cycle of the exception, nor while it is moved (DQ-09).
  always @(*) if (checking && ready && (sequencer_recenter_start || sequencer_recentering)) exceptions_are_precise: assert (
    !operation_ready && !token_left && !token_entered && !(control_head_write && !recenter_finished) && !(control_tail_write && !recenter_finished));
  // What enters, where, and how many tokens there are; `yields` are those at the back that entered as yield tokens.
  wire front_entry = push_now || (sequencer_place_now && sequencer_front);
  wire back_entry = (sequencer_place_now && sequencer_back) || spill_part_end_write;
  wire [3:0] entering_kind = back_entry ? KIND_YIELD : push_now ? push_kind : operation_kind;
  wire [31:0] entering_mask = push_now ? push_mask : operation_mask;
  wire [21:0] entering_address = push_now ? push_address : operation_address;
  wire [$bits(queue_head)-1:0] in_window = queue_head - queue_tail;
  wire [12:0] tokens = in_window + spill_count;
  reg [12:0] yields;
  always @(posedge clock)
    if (reset || sweep_enable) yields <= 0;
    else yields <= yields + back_entry + (front_entry && entering_kind == KIND_YIELD) - (sequencer_pop_now && yields == tokens);
  // Any token is watched, from whichever end it entered, and wherever it lies; `before` are those that will be popped first, `behind` the others. What is said of it is true of every token, as
  // it may be any. A yield token takes along the threads of each back push of its address, when that is done (DQ-07).
  (* anyseq *) reg watch;
  reg watching;
  reg [12:0] before, behind;
  reg [31:0] mask;
  reg [21:0] address;
  reg [3:0] kind, summary;
  wire starts = !watching && watch && (front_entry || back_entry);
  wire meets = watching && kind == KIND_YIELD && pushes_back && address == operation_address;
  wire [31:0] merged_mask = mask | (meets && operation_ready && !operation_failed ? operation_mask : 32'd0);
  wire leaves = watching && token_left && before == 0;
  always @(posedge clock)
    if (reset || sweep_enable) watching <= 1'b0;
    else if (starts) begin
      watching <= 1'b1;
      before <= back_entry ? tokens - sequencer_pop_now : 0;
      behind <= back_entry ? 0 : tokens;
      {kind, mask, address, summary} <= {entering_kind, entering_mask, entering_address, flags_enter_summary};
    end else if (watching) begin
      before <= before + front_entry - token_left;
      behind <= behind + back_entry;
      mask <= merged_mask;
      if (leaves) watching <= 1'b0;
    end
  // Any other one that entered later.
  (* anyseq *) reg watch_other;
  reg watching_other;
  reg [12:0] other_before;
  reg [21:0] other_address;
  reg [3:0] other_kind;
  always @(posedge clock)
    if (reset || sweep_enable || !watching || leaves) watching_other <= 1'b0;
    else if (!watching_other && watch_other && (front_entry || back_entry)) begin
      watching_other <= 1'b1;
      other_before <= back_entry ? tokens - sequencer_pop_now : 0;
      {other_kind, other_address} <= {entering_kind, entering_address};
    end else if (watching_other) begin
      other_before <= other_before + front_entry - token_left;
      if (token_left && other_before == 0) watching_other <= 1'b0;
    end
  // Front pushes carry any kind but yield; only tokens of a saved context come back at the front whatever they are, the last one first, into a queue that was
  // empty (CX-09): a yield token in front of nothing but yield tokens, none of which has its address.
  wire puts_back = front_entry && entering_kind == KIND_YIELD;
  always @(*) if (checking && puts_back) contexts_come_back: assume (yields == tokens && !(watching && address == entering_address));

  wire watched_to_memory = (watching && sequencer_spilling && sequencer_spill_command[0] && before + 1'b1 == in_window) || (starts && spill_part_end_write);
  reg popped, away, popped_from_memory;
  reg [61:0] popped_token;
  always @(posedge clock) begin
    if (writes && watched_to_memory) away <= 1'b1;
    else if (!watching) away <= 1'b0;
    popped_from_memory <= away;
    popped <= !reset && leaves && operation_ready;
    popped_token <= {summary, kind, merged_mask, address};
  end
  wire as_it_was = {path_summary, response_kind, response_mask, response_address} == popped_token && response_valid && response_found;
  // 1. What is popped is what an unbounded deque would give, whether it was moved in its window or spilled and brought back: a token comes back when those in
  // front of it are gone, unchanged and with its summary, a yield token with the threads that merged into it (DQ-07, DQ-08).
  always @(*) if (checking && ready && popped) pops_in_order: assert (as_it_was);

`ifdef SMALLEST
  // 1. So does one that was in memory (DQ-08).
  always @(*) if (checking && ready && popped && popped_from_memory) returns_from_memory: assert (as_it_was);
`endif

  // 5. So what `kind_flags` takes for granted of a token that leaves is true: it comes with the summary that it was given, and what lay behind it then does so still, but
  // for yield tokens (DQ-04). Of the others that leave this is known, as each of them may be the watched one.
  (* hierconn *) wire \flags.as_given ;
  always @(*) if (checking && popped) comes_as_given: assert (\flags.as_given );
  always @(*) if (checking && answer_response_popped && !popped) others_as_given: assume (\flags.as_given );

  // 5. A token that is popped tells of each kind of the summary whether a token of it is behind (DQ-04).
  (* hierconn *) wire \flags.there_left ;
  (* hierconn *) wire [2:0] \flags.of_kind ;
  always @(*) if (checking && popped) tells_what_is_behind: assert (response_summary[3] == (yields != 0)
    && (\flags.of_kind == 0 || |(response_summary[2:0] & \flags.of_kind ) == \flags.there_left ));

  // 2. Of any two yield tokens of a queue each has its own address, wherever they lie: in the window, in memory, or on the way (DQ-07).
  always @(*) if (checking && watching && watching_other) one_for_an_address: assert (kind != KIND_YIELD || other_kind != KIND_YIELD || address != other_address);

  // How many tokens lie behind the one in memory that was asked for: a search goes through them from the back, a refill takes the one that is farthest from it.
  reg [12:0] seen;
  always @(posedge clock)
    if (!sequencer_spilling) seen <= 0;
    else if (memory_response_valid && memory_response_ready) seen <= seen + 1'b1;
  wire [12:0] asked_behind = sequencer_spill_command[1] ? seen : spill_count - 1'b1;
  // A token comes back from memory.
  from_memory: cover property (checking && ready && popped && popped_from_memory);
  // A token that is in memory takes along the threads of a back push.
  merges_in_memory: cover property (checking && ready && spill_part_matched && sequencer_back);
`ifdef GUIDED
  // On the way there: nine different tokens are pushed, one more than the window holds, and two of one address at the back, then all are popped; memory answers at once.
  reg [3:0] pushed;
  wire pops = pushed == 11;
  always @(posedge clock) pushed <= reset ? 0 : pushed + (operation_ready && operation_valid && !pops);
  always @(*) if (started) all_the_way: assume (!reset && !push_valid && operation_valid && !operation_announce && operation_code == (pops ? 0 : pushed < 9 ? 1 : 2) && operation_kind == 1
    && operation_mask == pushed && operation_address == 0 && spill_limit == 8 && watch && memory_request_ready && memory_response_valid == asked
    && (asked_slot == cell_slot || memory_response_data == (asked_behind < yields ? KIND_YIELD : 0)));
`endif

  // A watched token comes back after another was pushed and popped before it.
  reg overtaken, past_overtaken;
  always @(posedge clock) begin
    overtaken <= watching && (overtaken || (watching_other && token_left && other_before == 0));
    past_overtaken <= overtaken;
  end
  comes_back: cover property (checking && ready && popped && past_overtaken);
  // A yield token comes back with the threads of another that merged into it, from behind a third.
  reg merged_once, past_merged;
  always @(posedge clock) begin
    merged_once <= watching && (merged_once || (meets && operation_ready && mask != merged_mask));
    past_merged <= merged_once;
  end
  merges: cover property (checking && ready && popped && past_merged && tokens != 0);

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
  // Where the watched token lies: in the window, in the new window if it was moved there already, or in memory. One that a back push has merged into has its threads.
  wire [3:0] old_place = queue_head - 1'b1 - before[3:0];
  wire [3:0] new_place = \recenter.new_tail_at + (old_place - queue_tail);
  wire was_moved = recenters && (sequencer_front ? old_place - queue_tail < \recenter.moved : before < \recenter.moved );
  wire [2:0] place = was_moved ? new_place[2:0] : old_place[2:0];
  wire [31:0] kept_mask = mask | (meets && \sequencer.placed ? operation_mask : 32'd0);
  wire [61:0] placed_token = \window.words [{place, 6'd0}+:62];
  always @(*) if (checking && watching) helper_before: assert (before < tokens && before + behind + 1'b1 == tokens);
  always @(*) if (checking && watching && before < in_window) helper_watched: assert ({address, kind} == {placed_token[57:36], placed_token[3:0]});
  always @(*) if (checking && watching && before < in_window) helper_watched_summary: assert (summary == placed_token[61:58]);
  always @(*) if (checking && watching && before < in_window) helper_watched_mask: assert (kept_mask == placed_token[35:4]);
  wire [12:0] slot_of = spill_first + (before - in_window);
  wire in_memory = watching && before >= in_window;
  always @(*) if (checking && in_memory) helper_in_memory: assert ({summary, address, kind} == {cell[61:36], cell[3:0]});
  always @(*) if (checking && in_memory) helper_mask_in_memory: assert (kept_mask == cell[35:4]);
  always @(*) if (checking && in_memory) helper_slot: assert (cell_slot == (slot_of >= spill_limit ? slot_of - spill_limit : slot_of));
  // It is the first of them if its slot is, and one that was asked for if that one's slot is its own.
  always @(*) if (checking && in_memory) helper_first_slot: assert ((cell_slot == spill_first) == (before == in_window));
  always @(*) if (checking && in_memory && seeks && command == SEARCH && (step == ANSWER || step == WRITE)) helper_own_slot: assert ((asked_slot == cell_slot) == (behind == seen));
  // Its slot, counted from the end of the area.
  wire [12:0] slot_before_end = spill_end > behind ? spill_end - 1'b1 - behind : spill_end + spill_limit - 1'b1 - behind;
  always @(*) if (checking && in_memory) helper_before_end: assert (cell_slot == slot_before_end);
  always @(*) if (checking && recenters && \recenter.writing ) helper_in_hand: assert (window_read_data == \window.words [{\recenter.next [2:0], 6'd0}+:64]);

  // Yield tokens lie together at the back.
  always @(*) if (checking && known) helper_yields: assert (yields <= tokens && \flags.yielded == (yields != 0));
  always @(*) if (checking && watching) helper_kind: assert ((kind == KIND_YIELD) == (behind < yields));
  always @(*) if (checking && watching_other) helper_other: assert (watching && other_before < tokens && other_before != before
    && (other_kind == KIND_YIELD) == (tokens - 1'b1 - other_before < yields));
  // Of the others that are in memory what was asserted of the watched one is known: which of them are yield tokens, and that these have addresses of their own. Nothing
  // enters while memory is asked, so that this was asserted before it is made use of.
  always @(*) if (checking && memory_response_valid && (command == SEARCH || command == REFILL) && !(in_memory && asked_slot == cell_slot)) others_are_alike: assume (
    (memory_response_data[3:0] == KIND_YIELD) == (asked_behind < yields)
    && !(watching && kind == KIND_YIELD && memory_response_data[3:0] == KIND_YIELD && memory_response_data[57:36] == address));
  always @(*) if (checking && (asks || (asked && step != RELEASE))) helper_nothing_enters: assert (!token_entered);
  // What lies in each entry of the window: the token of a rank, counted from its back; while the window is moved, at its old entry or at its new one.
  wire [3:0] yields_in_window = yields <= spill_count ? 4'd0 : yields - spill_count;
  wire [7:0] kinds_fit, is_twin, would_merge, was_seen, comes_again;
  genvar entry;
  generate
    for (entry = 0; entry < 8; entry = entry + 1) begin : entries
      wire [3:0] old_rank = entry - queue_tail;
      wire [3:0] new_rank = entry - \recenter.new_tail_at ;
      wire old_moved = recenters && (sequencer_front ? old_rank < \recenter.moved : in_window <= old_rank + \recenter.moved );
      wire new_moved = recenters && (sequencer_front ? new_rank < \recenter.moved : in_window <= new_rank + \recenter.moved );
      wire is_old = old_rank < in_window && !old_moved;
      wire is_new = new_rank < in_window && new_moved;
      wire is_yield = \window.words [entry*64+:4] == KIND_YIELD;
      wire [21:0] its_address = \window.words [entry*64+36+:22];
      assign kinds_fit[entry] = !(is_old || is_new) || is_yield == ((is_new ? new_rank : old_rank) < yields_in_window);
      assign is_twin[entry] = (is_old || is_new) && is_yield && watching && kind == KIND_YIELD && (in_memory || place != entry) && its_address == address;
      assign would_merge[entry] = (is_old || is_new) && is_yield && its_address == operation_address;
      assign comes_again[entry] = (is_old || is_new) && is_yield && its_address == entering_address;
      assign was_seen[entry] = entry < \control.viewed ;
    end
  endgenerate
  // Said of the watched token above, of all tokens of the window: what comes back of a saved context has another address.
  always @(*) if (checking && puts_back) contexts_differ: assume (!(|comes_again));
  always @(*) if (checking && known) helper_kinds_fit: assert (&kinds_fit);
  always @(*) if (checking && known) helper_no_twin: assert (!(|is_twin));
  // What a search from the back has seen: the tokens of memory, then those of the window, one after the other; none of them was to merge with.
  (* hierconn *) wire \spill_part.looked ;
  (* hierconn *) wire \sequencer.searched ;
  wire seeks_back = seeks && command == SEARCH;
  always @(*) if (checking && seeks_back) helper_looked: assert (spilled && (step == START ? seen == 0 && !\spill_part.looked
    : (step == WRITE || \spill_part.looked == (seen != 0))));
  wire [12:0] seen_to = spill_end >= seen ? spill_end - seen : spill_end + spill_limit - seen;
  always @(*) if (checking && seeks_back && step != START) helper_seen_to: assert (\spill_part.cursor == seen_to);
  always @(*) if (checking && seeks_back) helper_seen: assert (step == ANSWER || step == WRITE ? seen < spill_count : seen <= spill_count);
  always @(*) if (checking && seeks_back && meets) helper_not_seen: assert (behind >= seen);
  always @(*) if (checking && scans && sequencer_back) helper_scanned: assert (queue_tail <= \control.viewed && \control.viewed < queue_head
    && !(meets && in_memory) && !(|(would_merge & was_seen)));
  // Behind a search that is complete, or where there is nothing to be searched, a token enters.
  wire none_merges = !meets && !(|would_merge);
  (* hierconn *) wire \sequencer.place_back ;
  always @(*) if (checking && operation_valid && sequencer_deciding && \sequencer.place_back ) helper_complete: assert (none_merges);
  // What it has found is the watched token if that has the address.
  always @(*) if (checking && scans && sequencer_back && sequencer_sought && meets) helper_found: assert (before < in_window && place == \control.viewed );
  always @(*) if (checking && seeks_back && step == WRITE && meets) helper_found_in_memory: assert (in_memory && behind == seen);
  always @(*) if (checking && \sequencer.searched ) helper_searched: assert (waits && sequencer_back && !sweep_enable && !scans && !seeks && !spills
    && (\sequencer.placed || none_merges));
  always @(*) if (checking && spills && command == APPEND) helper_appends: assert (none_merges && !\sequencer.placed );
  // What `kind_flags` knows of the kind that it looks at: the first token of that kind lies in the queue, before no yield token; who was pushed in front of it remembers
  // it, and nobody else does.
  (* hierconn *) wire \flags.there ;
  (* hierconn *) wire [12:0] \flags.above ;
  (* hierconn *) wire [12:0] \flags.above_left ;
  (* hierconn *) wire [3:0] \flags.kind ;
  (* hierconn *) wire [3:0] \flags.given ;
  (* hierconn *) wire [4:0] \flags.swept ;
  wire remembered = \flags.there_left && before < \flags.above_left ;
  always @(*) if (checking) helper_first: assert (!\flags.there_left || \flags.above_left < tokens && tokens - 1'b1 - \flags.above_left >= yields);
  always @(*) if (checking && watching) helper_remembers: assert (
    (!(\flags.there_left && before == \flags.above_left ) || (kind == \flags.kind && summary == \flags.given ))
    && (kind != \flags.kind || (\flags.there_left && before <= \flags.above_left && summary[3] == remembered))
    && (\flags.of_kind == 0 || |(summary[2:0] & \flags.of_kind ) == remembered));
  always @(*) if (checking && popped) helper_alone: assert (answer_response_popped && answer_response_alone == (tokens == 0)
    && (popped_token[57:54] != KIND_YIELD || yields == tokens));
  always @(*) if (checking) helper_warp: assert (!response_warp);
  always @(*) if (checking) helper_flags_swept: assert (sweep_enable ? \flags.swept == (sweep == 0 && \flags.swept [4] ? 5'd16 : sweep) : \flags.swept [4]);
  // What was popped is shown from the window, in the cycle after.
  always @(*) if (checking && popped) helper_popped: assert (!\spill_part.showing && !\path.show_passed && response_valid && response_found
    && {window_read_data[61:58], window_read_data[3:0], window_read_data[35:4], window_read_data[57:36]} == popped_token);
  // While memory is at work nothing else is shown; what a search writes back is the yield token that it has found.
  always @(*) if (checking) helper_shown: assert ((!(seeks || spills) || !\path.show_passed ) && (step != WRITE || command != SEARCH || sequencer_sought));
`else
  // Of a saved context no token comes back: of those that are not watched nothing is known here that would tell whether its address is new.
  always @(*) if (checking) contexts_stay_away: assume (!puts_back);
`endif
