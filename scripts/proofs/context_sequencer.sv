// The context sequencer as a whole (CX-01 to CX-08, CX-11): rows, accesses, commands and copies.

  localparam GROUPS = $bits(stopped);
  localparam GROUP_BITS = $bits(row_group);
  integer i;

  // `under_way`: accesses of each group that had a location and were not carried out; only such are.
  reg [8:0] under_way [0:GROUPS-1];
  always @(posedge clock)
    for (i = 0; i < GROUPS; i = i + 1)
      under_way[i] <= reset ? 0 : under_way[i] + (location_valid && location_group == i) - (complete_valid && complete_group == i);
  always @(*) if (checking && complete_valid) completes_what_was_sent: assume (under_way[complete_group] != 0 || (location_valid && location_group == complete_group));
  // Memories answer and acknowledge what was asked and written before, once.
  reg [31:0] reading, writing;
  wire asks = copy_read_valid && copy_read_ready;
  wire answers = copy_data_valid && copy_data_ready;
  wire writes = copy_write_valid && copy_write_ready;
  always @(posedge clock) begin
    reading <= reset ? 0 : reading + asks - answers;
    writing <= reset ? 0 : writing + writes - copy_acknowledge_valid;
  end
  always @(*) if (checking) memory_answers: assume ((!copy_data_valid || reading != 0) && (!copy_acknowledge_valid || writing != 0));

  // Any one group is watched, and any one slot. `lives`: it has a row; `base`, `limit`: as it was launched.
  (* anyconst *) reg [GROUP_BITS-1:0] watched, slot;
  (* hierconn *) wire \rows.taken ;
  (* hierconn *) wire [GROUPS-1:0] \rows.used ;
  (* hierconn *) wire [GROUPS-1:0] \rows.remapped ;
  (* hierconn *) wire [GROUPS*32-1:0] \rows.origin_shown.words ;
  wire remapped = \rows.remapped [watched];
  wire [31:0] saved_to = \rows.origin_shown.words [32*watched+:32];
  reg lives, bound;
  reg [31:0] base;
  reg [15:0] limit;
  // `given`: the allocator has given it memory, which it has not got back, at `pointer`; `carried`: words written since then.
  reg given, saved;
  reg [31:0] pointer;
  reg [20:0] carried;
  wire gives = allocated_valid && allocated_ready && !allocated_failed;
  wire gets_back = free_valid && free_ready && free_group == watched;
  always @(posedge clock)
    if (reset) {lives, bound, given, saved} <= 0;
    else begin
      if (release_valid && release_slot == slot) bound <= 1'b0;
      if (bind_valid && bind_ready && \rows.taken ) begin
        if (bind_group == watched && bind_fresh) {lives, base, limit} <= {1'b1, bind_base, bind_limit};
        if (bind_slot == slot) bound <= bind_group == watched;
      end
      if (gives && allocate_group == watched) {given, pointer, carried} <= {1'b1, allocated_pointer, 21'd0};
      else if (copy_acknowledge_valid && given && !remapped) carried <= carried + 1'b1;
      if (gets_back) given <= 1'b0;
      if (remapped) saved <= 1'b1;
      if (sequencer_clear_valid && sequencer_work_group == watched) {lives, bound, saved} <= 0;
    end
  wire [20:0] whole = {limit, 5'd0};
  // 1. A bit that is set has the pointer that the allocator gave for the group, and all words of the group were written there and acknowledged; a group
  // without words has none (CX-01, CX-11).
  always @(*) if (checking && remapped) bit_implies_pointer: assert (\rows.used [watched] && lives
    && (limit == 0 ? saved_to == 0 : given && saved_to == pointer && carried == whole)
    && (row_group != watched || (row_used && row_remapped && row_pointer == saved_to && row_limit == limit)));
  // 3. A group that is re-mapped is not copied again: no memory is asked for it (CX-02, CX-07).
  always @(*) if (checking && (allocate_valid || (allocated_valid && allocated_ready)) && allocate_group == watched) second_save_copies_nothing: assert (lives && !remapped && !given);
  // 2. No access of a group is under way, or is taken, while it is copied, is re-mapped or freed (CX-05, CX-11).
  wire copied = given && !remapped;
  wire works = copied || ((allocate_valid || sequencer_clear_valid || sequencer_empty_valid) && allocate_group == watched);
  always @(*) if (checking && works) stands_still: assert (under_way[watched] == 0 && !(location_valid && location_group == watched) && stopped[watched]);
  // 7. An access of the watched slot goes where its group lies: to the word of its thread, in local memory, or in global memory once it is re-mapped, and no
  // further than its limit (CX-03, CX-04).
  reg taken_then, bound_then, remapped_then;
  reg [GROUP_BITS-1:0] slot_then;
  reg [4:0] thread_then;
  reg [15:0] word_then;
  reg [31:0] origin_then;
  always @(posedge clock) begin
    taken_then <= !reset && access_valid && access_ready;
    {slot_then, thread_then, word_then} <= {access_slot, access_thread, access_word};
    {bound_then, remapped_then} <= {bound, remapped};
    origin_then <= remapped ? saved_to : base;
  end
  always @(*) if (checking && taken_then && slot_then == slot && bound_then) goes_where_it_lies: assert (location_valid == (word_then < limit)
    && (!location_valid || (location_group == watched && location_global == remapped_then && location_address == origin_then + {word_then, thread_then})));
  // 4. An access that goes nowhere is an error that names slot, thread, word and group; each access has one answer (CX-04).
  always @(*) if (checking) errors_name_the_group: assert (location_valid + access_error_valid == taken_then
    && (!access_error_valid || ({access_error_slot, access_error_thread, access_error_word} == {slot_then, thread_then, word_then}
      && (slot_then != slot || !bound_then || (access_error_bound && access_error_group == watched)))));
  // 5. and `group_sequencer` 3. After a failed allocation no further one is tried, and the end of the command tells of it (CX-06).
  reg failed;
  always @(posedge clock)
    if (reset || (request_valid && request_ready)) failed <= 1'b0;
    else if (allocated_valid && allocated_ready && allocated_failed) failed <= 1'b1;
  always @(*) if (checking) tries_no_more: assert (!(failed && allocate_valid) && (!done_valid || done_failed == failed));
  // 6. Memory that the allocator gave for a group is given back once, and its row has gone only if it was (CX-05, CX-07).
  always @(*) if (checking) given_back_once: assert ((!gets_back || (given && free_pointer == pointer)) && (lives || !given));

  // A group of one word a thread is saved, and an access goes to global memory.
  to_global: cover property (checking && location_valid && location_global && location_group == watched && given);
`ifdef GUIDED
  always @(*) if (started) all_the_way: assume (!reset && bind_slot == bind_group && bind_limit == 1 && bind_fresh && !release_valid && !request_operation && request_mask == 1
    && allocate_ready && allocated_valid && !allocated_failed && allocated_pointer == 64 && bind_base == 0 && copy_read_ready && copy_data_valid == (reading != 0) && copy_write_ready
    && copy_acknowledge_valid == (writing != 0) && (stopped == 0 || !access_valid));
`endif
  // A group without words is saved and runs again, in another slot.
  reg [GROUP_BITS-1:0] launched_in;
  always @(posedge clock) if (bind_valid && bind_ready && \rows.taken  && bind_group == watched && bind_fresh) launched_in <= bind_slot;
  resumes: cover property (checking && saved && bound && lives && limit == 0 && slot != launched_in);
  // A copy is under way while an access of another group is.
  goes_on: cover property (checking && copied && location_valid && reading != 0);

`ifdef SMALLEST
  (* hierconn *) wire [1:0] \rows.watched ;
  (* hierconn *) wire [1:0] \rows.slot ;
  (* hierconn *) wire \rows.present ;
  (* hierconn *) wire \rows.saved ;
  (* hierconn *) wire [31:0] \rows.place ;
  (* hierconn *) wire [15:0] \rows.limit ;
  (* hierconn *) wire [3:0] \rows.occupied ;
  (* hierconn *) wire [3:0] \rows.running ;
  (* hierconn *) wire [7:0] \rows.group_looked_up.words ;
  (* hierconn *) wire [127:0] \rows.origin_worked_on.words ;
  (* hierconn *) wire [63:0] \rows.limit_worked_on.words ;
  (* hierconn *) wire [63:0] \rows.limit_looked_up.words ;
  (* hierconn *) wire [1:0] \sequencer.step ;
  (* hierconn *) wire \sequencer.freeing ;
  (* hierconn *) wire [3:0] \sequencer.left ;
  (* hierconn *) wire \sequencer.holding ;
  (* hierconn *) wire \sequencer.failed ;
  (* hierconn *) wire [1:0] \copies.engine_0.group ;
  (* hierconn *) wire [31:0] \copies.engine_0.pointer ;
  (* hierconn *) wire [20:0] \copies.engine_0.words_left ;
  (* hierconn *) wire [20:0] \copies.engine_0.asked ;
  (* hierconn *) wire [20:0] \copies.engine_0.answered ;
  (* hierconn *) wire [20:0] \copies.engine_0.sent ;
  (* hierconn *) wire [20:0] \copies.engine_0.carried ;
  (* hierconn *) wire [20:0] \copies.engine_0.total ;
  (* hierconn *) wire [31:0] \addresses.counter.sent.words ;
  (* hierconn *) wire [31:0] \addresses.counter.sent_to_drain.words ;
  (* hierconn *) wire [31:0] \addresses.counter.completed.words ;
  (* hierconn *) wire [31:0] \addresses.counter.completed_of_sent.words ;
  (* hierconn *) wire [31:0] \addresses.counter.completed_to_drain.words ;
  (* hierconn *) wire [1:0] \addresses.counter.swept ;
  always @(*) same_is_watched: assume (\rows.watched == watched && \rows.slot == slot);

  // Nobody runs while the counts are cleared; they tell how many accesses are under way.
  reg counted;
  always @(*) begin
    counted = 1'b1;
    for (i = 0; i < 4; i = i + 1) begin
      if (\addresses.counter.sent.words [8*i+:8] != \addresses.counter.sent_to_drain.words [8*i+:8]
        || \addresses.counter.completed.words [8*i+:8] != \addresses.counter.completed_of_sent.words [8*i+:8]
        || \addresses.counter.completed.words [8*i+:8] != \addresses.counter.completed_to_drain.words [8*i+:8]) if (!addresses_clearing || i < \addresses.counter.swept ) counted = 1'b0;
      if ((!addresses_clearing || i < \addresses.counter.swept ) && {\addresses.counter.sent.words [8*i+:8] - \addresses.counter.completed.words [8*i+:8]} != under_way[i] + (location_valid && location_group == i)) counted = 1'b0;
      if (under_way[i] + (location_valid && location_group == i) > 255 || (addresses_clearing && under_way[i] != 0)) counted = 1'b0;
    end
  end
  always @(*) if (checking) helper_counts: assert (counted && (!addresses_clearing || (\rows.used == 0 && \rows.occupied == 0 && !location_valid)));
  // What the table says of the watched group is what this file does.
  always @(*) if (checking) helper_row: assert (\rows.present == lives && \rows.saved == remapped && (!saved || (remapped && lives))
    && (!lives || (\rows.limit == limit && \rows.limit_worked_on.words [16*watched+:16] == limit
      && \rows.origin_worked_on.words [32*watched+:32] == \rows.place && \rows.place == (!remapped ? base : limit == 0 ? 0 : pointer))));
  always @(*) if (checking) helper_bound: assert (bound == (\rows.occupied [slot] && \rows.group_looked_up.words [2*slot+:2] == watched));
  wire [1:0] at_work = \copies.engine_0.group ;
  wire copying = \copies.engine_0.words_left != 0;
  // The group in hand is stopped, and not to come; memory is asked for it while none is copied.
  always @(*) if (checking) helper_hand: assert ((\sequencer.left & ~stopped) == 0 && (!\sequencer.holding || (stopped[sequencer_work_group] && !\sequencer.left [sequencer_work_group]))
    && (\sequencer.step != 0 || (stopped == 0 && \sequencer.left == 0)) && (\sequencer.step < 2 || !copying));
  // A group that is copied has a row, is not re-mapped, is stopped, and was in hand.
  always @(*) if (checking && copying) helper_copied: assert (\rows.used [at_work] && !\rows.remapped [at_work] && stopped[at_work] && !\sequencer.left [at_work]
    && !(\sequencer.holding && sequencer_work_group == at_work) && \sequencer.step != 0 && !\sequencer.freeing && under_way[at_work] == 0 && !(location_valid && location_group == at_work));
  // The copies of each length agree; no access is under way of a group without a row, or without words.
  reg alike, still;
  always @(*) begin
    {alike, still} = 2'b11;
    for (i = 0; i < 4; i = i + 1) begin
      if (\rows.used [i] && \rows.limit_looked_up.words [16*i+:16] != \rows.limit_worked_on.words [16*i+:16]) alike = 1'b0;
      if ((!\rows.used [i] || \rows.limit_worked_on.words [16*i+:16] == 0) && (under_way[i] != 0 || (location_valid && location_group == i))) still = 1'b0;
    end
  end
  always @(*) if (checking) helper_lengths: assert (alike);
  always @(*) if (checking) helper_still: assert (still);
  // A copy takes a cycle a word, 32 at least, so it does not end while the groups behind it are passed over, one a cycle: one that needs the engine, too,
  // waits for it.
  wire [1:0] in_hand = sequencer_work_group;
  wire waits = \rows.used [in_hand] && !\rows.remapped [in_hand] && \rows.limit_worked_on.words [16*in_hand+:16] != 0;
  wire [2:0] behind = \sequencer.left [0] + \sequencer.left [1] + \sequencer.left [2] + \sequencer.left [3];
  always @(*) if (checking && copying) helper_engine: assert (\sequencer.holding ? waits || \copies.engine_0.words_left >= 30 + behind : behind == 0);
  // The watched one has been given memory as long as it is copied, and then until it is freed.
  always @(*) if (checking) helper_given: assert (given == ((copying && at_work == watched) || (remapped && limit != 0)) && (!given || limit != 0)
    && (!(given && remapped) || carried == whole)
    && (!(copying && at_work == watched) || (\copies.engine_0.pointer == pointer && \copies.engine_0.total == whole && \copies.engine_0.carried == carried)));
  always @(*) if (checking) helper_memory: assert (reading == \copies.engine_0.asked - \copies.engine_0.answered && writing == \copies.engine_0.sent - \copies.engine_0.carried );
  // The failure is remembered, and no group left.
  always @(*) if (checking) helper_failed: assert ((\sequencer.step == 0 || \sequencer.failed == failed) && (!failed || \sequencer.step == 0 || (\sequencer.left == 0 && !\sequencer.holding && \sequencer.step == 1)));
`endif
