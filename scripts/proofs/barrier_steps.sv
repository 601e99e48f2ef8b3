// What the divergence engine is asked to carry out an answer of the barrier scheduler (SM-07, DQ-28), whatever is answered.

  // Any warp: what its last answer said of its threads, and which of its steps are due.
  (* anyconst *) reg [$bits(look_warp)-1:0] warp;
  reg [$bits(land_active)-1:0] active, sleepers, skippers, repeaters;
  reg is_exit, is_blank, behind_left, again_left, rest_left;
  wire lands = land_valid && land_warp == warp;
  wire blanks = blank_valid && blank_warp == warp;
  wire looks = look_warp == warp;
  wire [$bits(land_active)-1:0] active_now = lands ? land_active : active, asleep_now = lands ? land_sleep : sleepers;
  wire [$bits(land_active)-1:0] behind_now = lands ? land_skip : skippers, again_now = lands ? land_wait : repeaters;
  wire exit_now = lands ? land_exit : is_exit, blank_now = !lands && is_blank;
  wire behind_due = lands ? !land_exit && land_skip != 0 : behind_left;
  // On a plain stack, a warp that is to present again as a whole does so by itself.
  wire again_due = lands ? !land_exit && land_wait != 0 && !(stack_mode && land_wait == land_active) : again_left;
  wire rest_due = lands ? land_exit || (land_active & ~land_skip & ~land_wait) != 0 : rest_left;
  wire due = behind_due || again_due || rest_due;
  wire takes = step_taken && looks;
  always @(posedge clock) begin
    behind_left <= !reset && behind_due && !takes;
    again_left <= !reset && again_due && !(takes && !behind_due);
    rest_left <= !reset && (blanks || (rest_due && !(takes && !behind_due && !again_due)));
    {active, sleepers, skippers, repeaters} <= blanks ? 0 : {active_now, asleep_now, behind_now, again_now};
    {is_exit, is_blank} <= {!blanks && exit_now, blanks || blank_now};
  end
  // A warp that has a step to do is not answered, and one that is answered has presented once.
  always @(*) if (checking) answered_in_its_turn: assume (!((lands || blanks) && (behind_left || again_left || rest_left)) && !(lands && blanks));
  // What is said of threads is of those that issued, and one thing each.
  always @(*) if (checking && lands) one_thing_each: assume (((land_sleep | land_skip | land_wait) & ~land_active) == 0
    && (land_sleep & land_skip) == 0 && (land_sleep & land_wait) == 0 && (land_skip & land_wait) == 0);
  // As long as a warp has steps to do, it shows who issued.
  always @(*) if (checking && looks && due && !blank_now) shows_who_issued: assume (look_active == active_now);
  // Nothing is taken but steps.
  always @(*) if (checking && step_taken) takes_steps: assume (step_waiting[look_warp]);

  wire [$bits(land_active)-1:0] on = look_active & ~behind_now & ~again_now;
  // 1. Who goes on behind the bottom, does so first: all of the warp branch there, some leave for there.
  always @(*) if (checking && looks && behind_due) behind_first: assert (step_mask == behind_now && step_target == look_word[$bits(step_target)-1:0]
    && (behind_now == look_active ? step_operation == OPERATION_BRANCH
      : step_operation == OPERATION_LEAVE && step_kind == KIND_BARRIER && step_targeted && step_again));
  // 1. Then those leave that present the instruction again; whether others are left is told.
  always @(*) if (checking && looks && !behind_due && again_due) again_next: assert (step_operation == OPERATION_LEAVE && step_kind == KIND_BARRIER && step_mask == again_now
    && step_target == look_address && step_targeted && step_again == (on != 0));
  // 1. Of the others some go to sleep, or all go on; or those exit that are named.
  always @(*) if (checking && looks && !behind_due && !again_due && rest_due) asleep_or_on_last: assert (!step_targeted && !step_again && step_kind == 0 && (exit_now
    ? step_operation == OPERATION_EXIT && step_mask == look_named
    : asleep_now != 0 ? step_operation == OPERATION_SLEEP && step_mask == asleep_now : step_operation == OPERATION_STEP && step_mask == on));
  // 2. A warp has steps to do from its answer on until each was taken once; who is answered nothing that an engine has to know goes on.
  always @(*) if (checking) waits_until_done: assert (step_waiting[warp] == due);

  // Of one answer, some went behind the bottom, some present again, and the last go to sleep.
  reg was_again, was_behind;
  always @(posedge clock) begin
    was_behind <= !reset && (lands || was_behind) && (was_behind || (takes && behind_due));
    was_again <= !reset && !lands && (was_again || (takes && !behind_due && again_due && was_behind));
  end
  in_three_steps: cover property (checking && looks && was_again && rest_left && step_operation == OPERATION_SLEEP);

  // What is due, and what is kept of the answer.
  always @(*) if (checking) helper_due: assert (due_skip[warp] == behind_left && due_wait[warp] == again_left && due_rest[warp] == rest_left);
  wire is_left = behind_left || again_left || rest_left;
`ifdef SMALLEST
  (* hierconn *) wire [`{64 * WARPS - 1}:0] \pairs.words ;
  (* hierconn *) wire [`{32 * WARPS - 1}:0] \waits.words ;
  always @(*) if (checking && is_left) helper_kept: assert (blank[warp] == is_blank
    && (is_blank || (exits[warp] == is_exit && \pairs.words [warp*64+:64] == {skippers, sleepers} && \waits.words [warp*32+:32] == repeaters)));
`endif
  always @(*) if (checking && is_left) helper_told: assert ((!behind_left || (!is_exit && skippers != 0)) && (!again_left || (!is_exit && repeaters != 0)) && (!is_blank || (!behind_left && !again_left && !is_exit && (sleepers | skippers | repeaters) == 0))
    && ((sleepers | skippers | repeaters) & ~active) == 0 && (sleepers & (skippers | repeaters)) == 0 && (skippers & repeaters) == 0);
