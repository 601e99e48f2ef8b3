// The order in which the groups of a command are saved or freed (CX-02, CX-05, CX-07, CX-11).

  // The row of the group in hand stands still while memory is asked for it: only copies that end and this command's own steps change rows, and its copy has
  // not begun.
  reg waiting_for_memory;
  always @(posedge clock) waiting_for_memory <= !reset && (asks || (step == GROUP_STEP_ASK) || (step == GROUP_STEP_AWAIT && !allocated_valid));
  reg past_used, past_remapped, past_drained;
  reg [15:0] past_limit;
  always @(posedge clock) begin
    past_used <= work_used;
    past_remapped <= work_remapped;
    past_drained <= drained;
    past_limit <= work_limit;
  end
  always @(*) if (checking && waiting_for_memory) row_stands_still: assume (
    work_used == past_used && work_remapped == past_remapped && work_limit == past_limit && (drained || !past_drained));

  // 1. A group is copied only if it has a row and is not re-mapped: a second save copies nothing (CX-02, CX-07).
  always @(*) if (checking && (start_valid || allocate_valid)) second_save_copies_nothing: assert (work_used && !work_remapped && !freeing);
  // 2. A group is copied, re-mapped or freed only when none of its accesses is under way (CX-05, CX-11).
  always @(*) if (checking && (start_valid || empty_valid || clear_valid)) stands_still_first: assert (drained && work_used);
  // 6. As many words are asked for and copied as the group has: 32 threads of `work_limit` words.
  always @(*) if (checking && (start_valid || allocate_valid)) whole_group: assert (start_words == {work_limit, 5'd0} && allocate_words == start_words && work_limit != 0);
  // 4. A row is cleared only by a command that frees, and its buffer goes back with it (CX-05, CX-07).
  always @(*) if (checking && clear_valid) frees_with_its_buffer: assert (freeing && (!work_remapped || work_limit == 0 || (free_valid && free_ready && free_pointer == work_origin)));
  // 7. A request for memory is held until it is taken.
  reg asking;
  reg [$bits(allocate_group)-1:0] past_group;
  always @(posedge clock) begin
    asking <= !reset && allocate_valid && !allocate_ready;
    past_group <= allocate_group;
  end
  always @(*) if (checking && asking) requests_hold: assert (allocate_valid && allocate_group == past_group);

  // Any one group is watched: whether the command names it, and whether it was dealt with.
  (* anyconst *) reg [$bits(work_group)-1:0] watched;
  reg named, dealt;
  always @(posedge clock)
    if (reset) {named, dealt} <= 0;
    else if (request_valid && request_ready) begin
      named <= request_mask[watched];
      dealt <= 1'b0;
    end else if ((passed || answered) && group == watched) dealt <= 1'b1;
  // 5. Every group that the command names is dealt with before it is done, unless memory ran out.
  always @(*) if (checking && done_valid && named && !done_failed) none_is_left: assert (dealt);
  // 5. No group is dealt with twice, nor one that is not named.
  always @(*) if (checking && (passed || answered) && group == watched) none_twice: assert (named && !dealt);

  // A group that is re-mapped is passed over.
  passed_over: cover property (checking && examined && !freeing && work_remapped && work_used);
  // Memory runs out.
  out_of_memory: cover property (checking && done_valid && done_failed);

  // The watched group is still to come, in hand, or dealt with.
  always @(*) if (checking && step != GROUP_STEP_IDLE) helper_place: assert ((left[watched] + (holding && group == watched) + dealt) <= 1
    && (failed || named == (left[watched] || (holding && group == watched) || dealt)) && (!dealt || named) && (!left[watched] || named) && (!(holding && group == watched) || named));
  // Memory is asked for a group in hand that needs it.
  always @(*) if (checking && (step == GROUP_STEP_ASK || step == GROUP_STEP_AWAIT)) helper_asks: assert (
    holding && work_used && !work_remapped && drained && !freeing && work_limit != 0 && waiting_for_memory);
  // Without a command there is none in hand.
  always @(*) if (checking && step == GROUP_STEP_IDLE) helper_idle: assert (!holding);
