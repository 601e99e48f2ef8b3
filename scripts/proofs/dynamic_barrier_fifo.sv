// Barriers that are complete wait here for a slot (BR-35, BR-37, BR-41).

  // The static choices do not change after a reset, and conflicts are mutual.
  reg [$bits(reserved_slots)-1:0] past_reserved;
  reg [15:0] past_conflicts;
  reg chosen_before;
  always @(posedge clock) begin
    past_reserved <= reserved_slots;
    past_conflicts <= class_conflicts;
    chosen_before <= checking;
  end
  always @(*) if (checking) choices_are_static: assume (!chosen_before || (reserved_slots == past_reserved && class_conflicts == past_conflicts));

  // A queue is turned, an entry at a time, to take out those of one CTA (CX-10): nothing is handed over or enters meanwhile.
  wire turning = turn_common || turn_own;
  always @(*) if (checking) turns_make_sense: assume (!turning || (stop && !enter_valid && (turn_common ? common_head_valid && !turn_own : own_head_valid)));

  // `inside_queue`: the barriers that have entered and were neither handed over nor taken out; `marked`: of those, the ones reset since.
  reg [(1 << $bits(key))-1:0] inside_queue;
  reg [(1 << $bits(key))-1:0] marked;
  always @(posedge clock)
    if (reset) begin
      inside_queue <= 0;
      marked <= 0;
    end else begin
      if (hand_valid) inside_queue[hand_key] <= 1'b0;
      if (turning && turn_mine) inside_queue[turn_key] <= 1'b0;
      if (reset_valid) marked[key] <= 1'b1;
      if (enter_valid) begin
        inside_queue[key] <= 1'b1;
        marked[key] <= reset_valid;
      end
    end

  // A barrier enters once in an execution (BR-41); one that is put back after it was reset is reset as it enters (CX-10).
  always @(*) if (checking) enters_once: assume (!enter_valid || !inside_queue[key]);

  reg [$bits(count):0] inside_number;
  integer i, j;
`ifdef SMALLEST
  always @(*) begin
    inside_number = 0;
    for (i = 0; i < (1 << $bits(key)); i = i + 1) inside_number = inside_number + inside_queue[i];
  end
`else
  // To add so many bits up in every cycle is too much for a solver.
  always @(posedge clock) inside_number <= reset ? 0 : inside_number + enter_valid - hand_valid - (turning && turn_mine);
`endif

  // 1. The count is that of the barriers that wait, and never exceeds their number (BR-35).
  always @(*) if (checking) never_overflows: assert (count == inside_number && count <= (1 << $bits(key)));
  // 1. What is handed over is a barrier that waits; the entries differ, so each is handed over once (BR-41).
  always @(*) if (checking && hand_valid) hands_each_once: assert (inside_queue[hand_key]);
  // 2. An exclusive barrier is handed over only while nothing that conflicts with it occupies a slot, or has a thread inside (BR-37).
  wire [3:0] row = class_conflicts >> {hand_class, 2'b00};
  always @(*) if (checking && hand_valid && !hand_discarded && hand_exclusive)
    exclusive_waits: assert ((row & (exclusive_inside ? inside_classes : occupied_classes)) == 0);
  // 2. Nothing that conflicts with an exclusive barrier in a slot is handed over (BR-37).
  always @(*) if (checking && hand_valid && !hand_discarded) exclusive_keeps_others_out: assert ((row & exclusive_classes) == 0);
  // 4. The slot is free, one, and the one that is named; a reserved one only for class 3 (BR-35, BR-37).
  always @(*) if (checking && hand_valid)
    slot_is_free: assert (hand_slots == (1 << hand_slot) && (hand_slots & occupied) == 0 && (hand_class == 3 || hand_slot >= reserved_slots));
  // 3. A barrier that was reset while it waited is handed over as such, another is not.
  always @(*) if (checking && hand_valid) reset_is_remembered: assert (hand_discarded == (marked[hand_key] || (reset_valid && key == hand_key)));
  // 5. What entered with a barrier is what leaves with it.
  (* anyconst *) reg [$bits(key)-1:0] watched;
  reg [$bits(entry)-1:0] watched_entry;
  always @(posedge clock) if (enter_valid && key == watched) watched_entry <= entry;
  always @(*) if (checking && hand_valid && hand_key == watched) keeps_its_attributes: assert (
    {hand_key, hand_tag, hand_class, hand_priority, hand_blocking, hand_exclusive, hand_critical} == watched_entry);

  // 6. What falls out as a queue turns is a barrier that waits, of the CTA that leaves; one of another CTA stays (CX-10).
  always @(*) if (checking && turning)
    takes_out_its_own: assert (inside_queue[turn_key] && turn_mine == ((turn_key & held_mask) == (held_key & held_mask)));

  // A barrier of the CTA is taken out, others stay.
  taken_out: cover property (checking && turning && turn_mine && count == 3);
  // Both queues hold barriers.
  both_wait: cover property (checking && common_head_valid && own_head_valid);
  // The queue is full.
  full: cover property (checking && count == (1 << $bits(key)));
  // An exclusive barrier waits although a slot is free.
  held_back: cover property (checking && common_head_valid && common_head_data[1] && |common_free && !common_open && !own_head_valid);

`ifdef SMALLEST
  (* hierconn *) wire [123:0] \common.memory_part.words ;
  (* hierconn *) wire [123:0] \own.memory_part.words ;
  (* hierconn *) wire [1:0] \common.first ;
  (* hierconn *) wire [1:0] \own.first ;
  (* hierconn *) wire [3:0] \common_marks.words ;
  (* hierconn *) wire [3:0] \own_marks.words ;
  reg [3:0] seen;
  reg differ, wanted, kept;
  reg [1:0] at;
  reg [30:0] word;
  always @(*) begin
    seen = 0;
    differ = 1;
    wanted = 1;
    kept = 1;
    for (i = 0; i < 8; i = i + 1) begin
      at = i[2] ? \own.first + i[1:0] : \common.first + i[1:0];
      word = i[2] ? \own.memory_part.words [at*31+:31] : \common.memory_part.words [at*31+:31];
      if (i[1:0] < (i[2] ? own_count : common_count)) begin
        if (seen[word[30:29]]) differ = 0;
        seen[word[30:29]] = 1'b1;
        if (word[30:29] == watched && word != watched_entry) kept = 0;
        if (i[2] ? word[6:5] != 3 || reserved_slots == 0 : word[6:5] == 3 && reserved_slots != 0) wanted = 0;
      end
    end
  end
  // The keys of the entries differ, and are those of the barriers that wait.
  always @(*) if (checking) helper_entries: assert (differ && seen == inside_queue);
  // An entry is in the queue of its class, and as it entered.
  always @(*) if (checking) helper_queues: assert (wanted);
  always @(*) if (checking) helper_contents: assert (kept);
  // The marks of waiting barriers stand in both copies.
  always @(*) if (checking) helper_marks: assert (
    ((marked ^ \common_marks.words ) & inside_queue) == 0 && ((marked ^ \own_marks.words ) & inside_queue) == 0);
`endif
