// What the divergence engine is offered, and the barrier scheduler (SM-02, SM-07).

  // A warp that is launched has ended, or never began: it is not ready, and nothing of it is on its way to the engine.
  always @(*) if (checking && launched) launched_has_ended: assume (!warp_ready[launched_warp] && !(owed && owed_warp == launched_warp));
  // What was offered, and refused, until it is accepted; not so a part of a warp, which may be withdrawn.
  wire [$bits(offer_warp)+65:0] offered = {offer_origin, offer_warp, offer_operation, offer_kind, offer_mask, offer_target, offer_targeted, offer_again};
  reg owed;
  reg [$bits(offered)-1:0] owed_offer;
  wire [1:0] owed_origin = owed_offer[$bits(offered)-1-:2];
  wire [$bits(offer_warp)-1:0] owed_warp = owed_offer[$bits(offered)-3-:$bits(offer_warp)];
  always @(posedge clock)
    if (reset) owed <= 1'b0;
    else if (offer_valid) begin
      owed <= !offer_ready && offer_origin != ORIGIN_CONTEXT;
      owed_offer <= offered;
    end
  // Meanwhile the warp whose instruction or step it is stands where it stood: the instruction is there, its lanes see what they saw; the step is the same.
  // While it has to be quiet, others ask the engine and the lanes.
  reg [128:0] past_fetch;
  reg [53:0] past_lanes;
  reg [63:0] past_step;
  reg past_enable;
  always @(posedge clock) if (!owed) begin
    past_fetch <= {fetch_hit, fetch_word, query_active, lane_named};
    past_lanes <= {lane_agreeing, lane_target};
    past_step <= {step_operation, step_kind, step_mask, step_target, step_targeted, step_again};
    past_enable <= barriers_enable;
  end
  always @(*) if (checking && owed && !quiet && owed_origin == ORIGIN_INSTRUCTION) stands_still: assume ({fetch_hit, fetch_word, query_active, lane_named} == past_fetch
    && {lane_agreeing, lane_target} == past_lanes && barriers_enable == past_enable);
  always @(*) if (checking && owed && owed_origin == ORIGIN_STEP) step_stays: assume ({step_operation, step_kind, step_mask, step_target, step_targeted, step_again} == past_step);

  // 1. In a cycle there is at most one of: an offer, and an instruction that the barrier scheduler sees first, or that has none to see it.
  always @(*) if (checking) one_at_a_time: assert (offer_valid + lane_present + lane_illegal <= 1);
  // 2. Wake-ups go before parts of warps, and those before instructions and steps.
  always @(*) if (checking) goes_first: assert (wake_taken == (wake_valid && !owed && !quiet)
    && (!wake_taken || (offer_valid && offer_origin == ORIGIN_WAKE && {offer_warp, offer_mask, offer_target} == {wake_warp, wake_mask, wake_target}))
    && (owed || wake_taken || quiet || !context_valid || (offer_valid && offer_origin == ORIGIN_CONTEXT && offer_warp == context_warp))
    && (owed || !offer_valid || offer_origin != ORIGIN_CONTEXT || context_valid) && (!context_taken || offer_origin == ORIGIN_CONTEXT));
  // 2. Who is chosen may issue, and does its step, if there is one, not its instruction.
  wire chosen = !owed && (fetch_valid || (offer_valid && offer_origin == ORIGIN_STEP));
  always @(*) if (checking && chosen) chosen_may_issue: assert (warp_ready[query_warp] && !warp_held[query_warp] && !wake_valid && !context_valid
    && fetch_valid == !step_waiting[query_warp]);
  // 3. An offer that was refused is the next one, and does not change.
  always @(*) if (checking && owed && !quiet) refused_comes_again: assert (offer_valid && offered == owed_offer);
  // 4. Nothing is offered, presented or taken while it has to be quiet.
  always @(*) if (checking && quiet) keeps_quiet: assert (!offer_valid && !lane_valid && !wake_taken && !step_taken && !context_taken);
  // 5. A warp whose instruction is missing is not looked at again until it has come.
  (* anyconst *) reg [$bits(query_warp)-1:0] watched;
  reg absent;
  always @(posedge clock) absent <= !reset && ((absent && !fetch_filled[watched]) || (fetch_valid && !fetch_hit && query_warp == watched));
  always @(*) if (checking && absent) waits_for_its_instruction: assert (!(fetch_valid && query_warp == watched));

  // A wake-up that was refused comes again behind a cycle in which it was quiet.
  reg hushed;
  always @(posedge clock) hushed <= checking && quiet && owed && owed_origin == ORIGIN_WAKE;
  comes_again: cover property (checking && hushed && offer_valid && offer_ready);
  // A warp issues whose instruction was missing.
  reg was_absent;
  always @(posedge clock) was_absent <= !reset && (was_absent || absent);
  instruction_has_come: cover property (checking && was_absent && lane_issue && query_warp == watched);

  // What the registers hold.
  always @(*) if (checking) helper_owed: assert (refused == owed && (!owed || (refused_origin == owed_origin && refused_warp == owed_warp && owed_origin != ORIGIN_CONTEXT)));
  always @(*) if (checking) helper_absent: assert (missing[watched] == absent && !(absent && owed && owed_origin == ORIGIN_INSTRUCTION && owed_warp == watched));
`ifdef SMALLEST
  // The offer that is owed is what the warp, as it stood, is to do: what a decoder makes of it.
  wire [63:0] decision;
  wire past_barrier, past_exit;
  control_core_4x32x16_instruction_decoder past (
    .word(past_fetch[127:64]), .active(past_fetch[63:32]), .named(past_fetch[31:0]), .agreeing(past_lanes[53:22]), .register_target(past_lanes[21:0]),
    .operation(decision[63:60]), .kind(decision[59:56]), .mask(decision[55:24]), .target(decision[23:2]), .targeted(decision[1]), .again(decision[0]),
    .barrier(past_barrier), .plain_exit(past_exit));
  always @(*) if (checking && owed) helper_same: assert (owed_offer[63:0] == (owed_origin == ORIGIN_WAKE ? {OPERATION_WAKE, 4'd0, held_mask, held_target, 2'b10}
    : owed_origin == ORIGIN_STEP ? past_step : decision));
  always @(*) if (checking && owed && owed_origin == ORIGIN_INSTRUCTION) helper_offered: assert (past_fetch[128] && !past_barrier && !(past_exit && past_enable));
`endif
  // Who is owed its offer was chosen, and nothing has issued since.
  (* hierconn *) wire [$bits(warp_ready)-1:0] \scheduler.chosen_since ;
  always @(*) if (checking && owed && owed_origin != ORIGIN_WAKE) helper_chosen: assert (\scheduler.chosen_since [owed_warp]);
