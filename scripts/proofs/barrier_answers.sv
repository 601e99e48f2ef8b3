// What the barrier scheduler has answered to an instruction, in threads of the warp (SM-07, BR-19), whatever is asked and answered.

  // What the request of the last edge was about, and whether the instruction has others to come.
  reg asked, open, last, is_exit;
  reg [$bits(asked_origin)-1:0] origin;
  reg [$bits(asked_index)-1:0] index, slot;
  reg [$bits(asked_up)-1:0] up, down;
  reg [$bits(asked_threads)-1:0] threads, active;
  always @(posedge clock) begin
    asked <= !reset && accepted;
    open <= !reset && (accepted ? !asked_last : open);
    if (accepted) {origin, index, slot, last, is_exit, up, down, threads, active} <=
      {asked_origin, asked_index, asked_slot, asked_last, asked_exit, asked_up, asked_down, asked_threads, asked_active};
  end
  // An answer is that to the request of the last edge.
  always @(*) if (checking && response_valid) answers_the_last: assume (asked);
  // The requests of an instruction follow each other, each about threads that issued it.
  always @(*) if (checking && accepted) one_after_the_other: assume (asked_first == !open
    && (asked_first || (asked_origin == origin && asked_index == index && asked_slot == slot && asked_exit == is_exit && asked_active == active)));
  always @(*) if (checking && accepted && asked_origin == 0) of_who_issued: assume (((asked_threads | asked_again) & ~asked_active) == 0);
  // Launches and ends are one request each.
  always @(*) if (checking && accepted && asked_origin != 0) by_one_request: assume (asked_first && asked_last);

  // Any thread of the warp: its place among those that the request is about, and what is said of it, now and since the first request of the instruction.
  (* anyconst *) reg [`{log2(THREADS) - 1}:0] thread;
  wire [7:0] place = thread - down + up;
  wire is_told = thread >= down && place < $bits(response_sleep);
  wire [$clog2($bits(response_sleep))-1:0] offset = place;
  wire answers = response_valid && !response_error && origin == 0;
  wire sleeps = answers && is_told && response_sleep[offset];
  wire skips = answers && is_told && response_skip[offset];
  wire waits = answers && (response_refused ? threads[thread] : is_told && response_wait[offset]);
  reg slept, skipped, waited, wrong;
  wire slept_now = slept || sleeps, skipped_now = skipped || skips, waited_now = waited || waits;
  wire wrong_now = wrong || (response_valid && response_error);
  always @(posedge clock)
    if (reset || (accepted && asked_first)) {slept, skipped, waited, wrong} <= {2'b00, !reset && asked_again[thread], 1'b0};
    else {slept, skipped, waited, wrong} <= {slept_now, skipped_now, waited_now, wrong_now};
  // The scheduler says one thing of a thread that it was asked about, and nothing of others.
  always @(*) if (checking && answers) one_thing_each: assume (!(sleeps || skips || waits) || (threads[thread]
    && sleeps + skips + waits == 1 && !slept && !skipped && (!waited || waits)));

  // 1. Of a thread that issued, one thing is said at most; of others, none.
  always @(*) if (checking && land_valid) apart: assert (2'd0 + land_sleep[thread] + land_skip[thread] + land_wait[thread] <= land_active[thread]);
  // 2. An instruction never lands of which a request was wrong.
  always @(*) if (checking && wrong_now) error_never_lands: assert (!land_valid);
  // 3. It lands with the answer to its last request, as the warp's that issued it.
  always @(*) if (checking) lands_with_the_last: assert (land_valid == (answers && last && !wrong) && (!land_valid || (land_warp == index && land_exit == is_exit && land_active == active)));
  // 3. What lands is what all answers to it said.
  always @(*) if (checking && land_valid) lands_as_told: assert (land_sleep[thread] == slept_now && land_skip[thread] == skipped_now && land_wait[thread] == waited_now);
  // 4. An end is refused or done by the answer to its request, of that slot, and nothing else is; who was wrong is told by the slot of the request.
  always @(*) if (checking) ends_once: assert (again_valid == (response_valid && !response_error && origin == 2 && response_refused)
    && retire_valid == (response_valid && !response_error && origin == 2 && !response_refused) && (!(again_valid || retire_valid) || ended_slot == index)
    && (!response_valid || error_slot == slot));

  // An instruction of two requests lands, each of which said something of a thread.
  reg in_two;
  always @(posedge clock) if (accepted) in_two <= !asked_first;
  in_two_pieces: cover property (checking && land_valid && in_two && land_sleep[thread] && !sleeps && |land_wait && land_wait[thread] == 0);

  // What is kept of the request, and of its thread.
  always @(*) if (checking && asked) helper_held: assert ({held_origin, held_index, held_slot, held_last, held_exit, held_up, held_down, held_threads, held_active}
    == {origin, index, slot, last, is_exit, up, down, threads, active});
  always @(*) if (checking && open) helper_open: assert ({held_origin, held_index, held_slot, held_exit, held_active} == {origin, index, slot, is_exit, active} && origin == 0);
  always @(*) if (checking && (asked || open)) helper_told: assert ({sleepers[thread], skippers[thread], waiters[thread], failed} == {slept, skipped, waited, wrong}
    && (origin != 0 || 2'd0 + slept + skipped + waited <= active[thread]));
  always @(*) if (checking && asked && origin == 0) helper_of_who_issued: assert ((threads & ~active) == 0);
