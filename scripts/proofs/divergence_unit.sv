// The divergence unit (DQ-20 to DQ-31, SM-07, CX-09) at a point with one warp: what becomes of each of its threads. The queue may hold whatever it likes, and lie where it
// likes, in window or memory: what it answers is free, so the properties hold whatever tokens come back; which those are is proven in `token_deque`.

  localparam [3:0] PUSH = 1, BRANCH = 2, INDIRECT = 3, CALL = 4, LEAVE = 5, SLEEP = 8, WAKE = 9, WITHDRAW = 10, DEPOSIT = 11, DISABLE = 12;
  localparam [3:0] KIND_DIVERGENCE = 4'd2, KIND_YIELD = 4'd8;
  (* hierconn *) wire [`{THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \warps.active.request_copy.words ;
  (* hierconn *) wire [`{THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \warps.active.sequencer_copy.words ;
  (* hierconn *) wire [`{THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \warps.active.query_copy.words ;
  (* hierconn *) wire [`{THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \warps.live.words ;
  (* hierconn *) wire [`{THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \warps.live_held.words ;
  (* hierconn *) wire [`{16 * THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \reasons.disabled.words ;
  (* hierconn *) wire [`{16 * THREADS * (WARPS if WARPS > 1 else 2) - 1}:0] \reasons.disabled_query.words ;
  wire [31:0] active = \warps.active.query_copy.words [31:0];
  wire [31:0] live = \warps.live_held.words [31:0];
  wire [31:0] asleep = \reasons.disabled_query.words [32*KIND_BARRIER+:32];

  // One warp.
  always @(*) if (checking) one_warp: assume (!launch_warp && !request_warp && !query_warp);
  // An instruction is one of thirteen. A leave waits for what a region or a call has pushed; threads are disabled as a saved context has them, and one of it was active.
  always @(*) if (checking && request_valid && request_ready) instructions: assume (request_operation <= 12
    && (request_operation != LEAVE || (request_kind != KIND_DIVERGENCE && request_kind != KIND_YIELD && request_kind != KIND_BARRIER))
    && (request_operation != DISABLE || (active & ~request_mask) != 0));
  // The queue's engine for memory puts a token behind all others only while it moves tokens, neither in a search nor at rest: proven in `token_deque_control` (`works_at_one`).
  (* hierconn *) wire \queue.spill_part_end_write ;
  (* hierconn *) wire \queue.sequencer.spills ;
  always @(*) if (checking && \queue.spill_part_end_write ) appends_when_asked: assume (\queue.sequencer.spills );
  // What the instructions say of each thread: whether it was launched, and has exited since.
  wire taken = request_valid && request_ready;
  reg [31:0] launched_threads, exited;
  always @(posedge clock)
    if (launch_valid && launch_ready) {launched_threads, exited} <= {launch_mask, 32'd0};
    else if (taken && request_operation == 7) exited <= exited | (active & request_mask);
  // Threads that are just being taken to a yield token.
  wire [31:0] in_hand = sequencer_backs ? hand_held & ~active : 32'd0;
  reg [31:0] somewhere, twice;
  integer i;
  always @(*) begin
    {somewhere, twice} = {active, 32'd0};
    for (i = 0; i < 16; i = i + 1) begin
      twice = twice | (somewhere & \reasons.disabled_query.words [32*i+:32]);
      somewhere = somewhere | \reasons.disabled_query.words [32*i+:32];
    end
    twice = twice | (somewhere & in_hand) | ((somewhere | in_hand) & exited);
    somewhere = somewhere | in_hand | exited;
  end
  // 1. The active threads of a warp, those disabled, by each reason, and the exited ones are disjoint, and together its launch mask, but for those that are just on
  // their way to a yield token. So no exited thread ever comes back (DQ-31).
  always @(*) if (checking && warp_running) masks_part_the_launch: assert (twice == 0 && somewhere == launched_threads);

  // Any one thread is watched: for what it waits, and the address at which it is to go on, as far as instructions and tokens have told.
  (* anyconst *) reg [4:0] thread;
  reg [15:0] disabled, past_disabled;
  always @(*) for (i = 0; i < 16; i = i + 1) disabled[i] = 1'b1 & (\reasons.disabled_query.words [32*i+:32] >> thread);
  wire waits_for_shown = saved_mask[thread] && disabled[saved_kind];
  wire any_named = (request_mask & active) != 0;
  wire [21:0] behind = query_address + 1'b1;
  reg [21:0] where;
  always @(posedge clock)
    if (launch_valid && launch_ready) where <= launch_address;
    else if (taken && active[thread]) case (request_operation)
      BRANCH, CALL: where <= request_mask[thread] ? request_target : behind;
      INDIRECT: where <= request_mask[thread] ? request_target : any_named ? query_address : behind;
      LEAVE: where <= request_mask[thread] ? request_target : any_named && request_again ? query_address : behind;
      WAKE, WITHDRAW, DEPOSIT, DISABLE: ;
      default: where <= behind;
    endcase
    else if (taken && request_operation == WAKE && request_mask[thread] && disabled[KIND_BARRIER]) where <= request_target;
    else if (verdict_associated && waits_for_shown) where <= saved_address;
  // 4. Who is active has the warp's address: its own last instruction, or the token that made it active, has sent it there (DQ-20 to DQ-25, DQ-27).
  always @(*) if (checking && warp_ready && active[thread]) goes_where_it_should: assert (query_address == where);

  // 5. A region pushes its kind, the active threads and the address of its end, a call those that it names and the address behind it, a saved token comes as it was: each is
  // in the queue before the warp may issue again, and there is no other token in front but those of threads that run later (DQ-20, DQ-21, CX-09).
  wire pushes = taken && (request_operation == PUSH || request_operation == DEPOSIT || (request_operation == CALL && any_named));
  wire [57:0] tells = request_operation == CALL ? {KIND_CALL, active & request_mask, behind} : {request_kind, request_operation == PUSH ? active : request_mask, request_target};
  wire pushed_now = queue_push_valid && queue_push_ready;
  wire placed_now = sequencer_places && sequencer_done;
  wire [57:0] operation_token = {queue_operation_kind, hand_held, queue_operation_address};
  reg owes;
  reg [57:0] owed;
  always @(posedge clock) begin
    owes <= !reset && !launched && !pushed_now && !placed_now && (owes || pushes);
    if (pushes) owed <= tells;
  end
  always @(*) if (checking) regions_are_pushed: assert ((!pushed_now || (pushes && {queue_push_kind, pushed, queue_push_address} == tells))
    && (!placed_now || (owes && sequencer_operation_code == 1 && operation_token == owed)) && (!warp_ready || !owes));

  // 5. What the queue is asked stands still until that is done, with the kind to push or to find, the threads and the address of a token to push. One operation is announced, a
  // find or a push behind, and comes in the next cycle, but for a find of a kind that there is not: this is what `token_deque` assumes.
  reg waits, announced;
  reg [2:0] past_code;
  reg [57:0] past_token;
  wire [2:0] code = sequencer_operation_code;
  wire takes_token = code == 1 || code == 2 || code == 3;
  always @(posedge clock) begin
    waits <= !reset && !queue_operation_ready && (sequencer_operation_valid || (sequencer_operation_announce && (code != 4 || queue_operation_found)));
    announced <= !reset && sequencer_operation_announce;
    past_code <= code;
    past_token <= operation_token;
  end
  always @(*) if (checking) operations_hold: assert (code <= 5 && (!sequencer_operation_announce || (!sequencer_operation_valid && code >= 2 && code <= 4))
    && (!waits || (sequencer_operation_valid && !sequencer_operation_announce && (code == past_code || (announced && past_code != 4 && (code == 2 || code == 3)))
      && ((code != 1 && code != 4) || queue_operation_kind == past_token[57:54]) && (announced || !takes_token || operation_token[53:0] == past_token[53:0]))));

  // A pop was done in the cycle before; an operation was done since the reset.
  reg popped, begun;
  always @(posedge clock) begin
    popped <= !reset && sequencer_operation_valid && queue_operation_ready && (code == 0 || code == 3);
    begun <= !reset && (begun || (sequencer_operation_valid && queue_operation_ready));
  end

  // What happened in the cycle before: a token was pushed behind or merged, or pushed in front for those who run later; a leave was decided; a token was popped.
  reg ran, diverged, yielded, decided, went_on, in_token, should_wait, was_named, disables, past_divergence;
  reg [3:0] leave_kind, past_kind;
  reg leave_targeted, leaves;
  reg [21:0] leave_target, token_address;
  wire [3:0] reason = request_operation == SLEEP ? KIND_BARRIER : request_kind;
  always @(posedge clock) begin
    ran <= !reset && warp_running;
    past_disabled <= disabled;
    diverged <= event_diverge;
    past_divergence <= sequencer_operation_code == 1 && queue_operation_kind == KIND_DIVERGENCE;
    yielded <= event_yield;
    in_token <= hand_held[thread];
    token_address <= queue_operation_address;
    if (taken) {leaves, leave_kind, leave_targeted, leave_target} <= {request_mask[thread] && active[thread], request_kind, request_targeted, request_target};
    decided <= sequencer_finds && sequencer_done;
    should_wait <= leaves && queue_operation_found && saved_mask[thread] && (!leave_targeted || saved_address == leave_target);
    disables <= taken && (request_operation == SLEEP || request_operation == DISABLE) && request_mask[thread] && active[thread];
    was_named <= taken && request_operation == WAKE && request_mask[thread] && disabled[KIND_BARRIER];
    went_on <= !reset && verdict_associated && waits_for_shown;
    past_kind <= taken ? reason : saved_kind;
  end
  wire [15:0] rises = disabled & ~past_disabled;
  wire [15:0] falls = past_disabled & ~disabled;
  wire [15:0] divergence = 16'd1 << KIND_DIVERGENCE, yields = 16'd1 << KIND_YIELD, barrier = 16'd1 << KIND_BARRIER;
  // 6. Who runs later is disabled in the cycle in which a divergence token with it and its address is pushed in front; who yields, at a YIELD, at a leave whose token is not
  // there, or when it wakes, when a yield token with it and its address is pushed or merged; and nobody else is, save as a saved context has it (DQ-22, DQ-23, DQ-27, DQ-28).
  always @(*) if (checking && warp_running && ran && !disables) tokens_carry_their_address: assert (rises[KIND_DIVERGENCE] == (diverged && in_token)
    && rises[KIND_YIELD] == (yielded && in_token) && (!(diverged || yielded) || !in_token || (token_address == where && !active[thread])) && (!diverged || past_divergence));
  // 6. Who is named by a leave waits for the token that is found if that has it, and the address of the leave, if there is one. Nobody else waits for a region or a call, and
  // nobody falls asleep but at a sleep, save as a saved context has it (DQ-24, DQ-28, SM-07).
  always @(*) if (checking && warp_running && ran) waits_for_its_token: assert ((rises & ~(divergence | yields))
    == (disables ? (16'd1 << past_kind) & ~(divergence | yields) : decided && should_wait ? 16'd1 << leave_kind : 16'd0));
  // 6. A token that is popped makes those threads of it active that wait for its kind, at its address; they wait no more. Nobody else stops waiting, but sleepers that wake
  // (DQ-25, SM-07).
  always @(*) if (checking && warp_running && ran) revives_who_waits: assert (falls == (went_on ? 16'd1 << past_kind : was_named ? barrier : 16'd0)
    && (!went_on || (active[thread] && query_address == where)));
  reg past_active, past_associated;
  always @(posedge clock) {past_active, past_associated} <= {active[thread], !reset && verdict_associated};
  // 6. A thread becomes active by a token that is popped, and by nothing else (DQ-25).
  always @(*) if (checking && warp_running && ran && active[thread] && !past_active) revives_nobody_else: assert (went_on);
  // 2. Each token that leaves the queue makes threads go on, or is saved, or else it is discarded, and then none of its threads waits for it (DQ-25).
  reg left;
  always @(posedge clock) left <= !reset && event_pop;
  always @(*) if (checking) tokens_go_one_way: assert (2'd0 + verdict_associated + event_discard + saved_valid == left && (!event_discard || !waits_for_shown));
  // 3. A warp that may issue has an active thread: it never halts silently (DQ-26).
  always @(*) if (checking && warp_ready) somebody_runs: assert (active != 0);
  // 3. A warp halts only if every thread has exited, and its queue was just empty when it was asked for a token (DQ-26).
  (* hierconn *) wire \queue.spilled ;
  reg no_token;
  always @(posedge clock) no_token <= queue_operation_ready && sequencer_operation_code == 0 && queue_head == queue_tail && !\queue.spilled ;
  always @(*) if (checking && done_valid) halts_if_all_exited: assert (exited == launched_threads && no_token);
  // 3. It is parked only if all that have not exited are asleep, with an empty queue, and they stay so until one is woken (SM-07).
  always @(*) if (checking && warp_running && (verdict_parks || sequencer_parked)) parks_if_all_sleep: assert (launched_threads == (exited | asleep) && exited != launched_threads && (!verdict_parks || no_token));
  // 3. It stops running only with a word: it halted, was saved, or there is an error, and only one of these: that the spill area was full, that a leave without address
  // has a thread that has no token, or that the queue is empty and a thread has neither exited nor sleeps, of which there is one then (DQ-12, DQ-26, DQ-29).
  reg [1:0] said;
  always @(posedge clock) said <= reset ? 2'd0 : 2'd0 + done_valid + error_valid + saved_last;
  wire lost_at_leave = sequencer_finds && !leave_targeted && (hand_held & ~(queue_operation_found ? saved_mask : 32'd0)) != 0;
  wire lost_at_end = sequencer_unwinding && no_token && launched_threads != exited && launched_threads != (exited | asleep);
  always @(*) if (checking) stops_with_a_word: assert ((!ran || warp_running == (said == 0)) && said <= 1
    && (!error_valid || (warp_running && (error_cause == 3 ? spill_count == spill_limit : error_cause == 4 && (lost_at_leave || lost_at_end)))));

  // A warp is parked of which a thread has exited.
  parks: cover property (checking && verdict_parks && exited != 0);
  // A thread that a branch has deferred goes on.
  defers: cover property (checking && went_on && past_disabled == divergence);
  // So does one that has waited at the end of its region.
  reconverges: cover property (checking && went_on && past_disabled == 2 && warp_ready);
  // So does one that has yielded, while others wait.
  takes_turns: cover property (checking && went_on && past_disabled == yields && active != launched_threads);
`ifdef GUIDED
  // On the way there: the tables are swept, four threads are launched, and memory is not needed.
  always @(*) if (started) all_the_way: assume (!reset && launch_valid == !warp_running && launch_mask == 15 && launch_address == 0 && !launch_resumes && !stack_mode && yield_policy == 0
    && !path_policy[1] && !memory_response_valid && spill_limit == 8 && request_target <= 3 && request_mask <= 15 && request_kind == 1 && thread <= 3);
`endif

`ifdef SMALLEST
  (* hierconn *) wire [43:0] \warps.address.request_copy.words ;
  (* hierconn *) wire [43:0] \warps.address.sequencer_copy.words ;
  (* hierconn *) wire [43:0] \warps.address.query_copy.words ;
  (* hierconn *) wire \queue.sequencer.swept_once ;
  (* hierconn *) wire [2:0] \sequencer.state ;
  wire launches = \sequencer.state == 3'd7;
  wire known = warp_running || launches;
  wire [21:0] address = \warps.address.query_copy.words [21:0];
  wire [21:0] goes_on = sequencer_held_stays ? address : address + 1'b1;
  wire held = hand_held[thread];
  wire on = active[thread];
  wire [31:0] rest = active & ~hand_held;

  // The copies agree.
  always @(*) if (checking && known) helper_copies: assert (\warps.active.request_copy.words [31:0] == active && \warps.active.sequencer_copy.words [31:0] == active
    && \warps.live.words [31:0] == live && \warps.address.request_copy.words [21:0] == address && \warps.address.sequencer_copy.words [21:0] == address);
  always @(*) if (checking && warp_running) helper_copies_of_reasons: assert (\reasons.disabled.words [511:0] == \reasons.disabled_query.words [511:0]);
  // The sweep comes after reset and with a launch; what is behind it is clear in both copies.
  reg swept;
  always @(*) begin
    swept = 1'b1;
    for (i = 0; i < 16; i = i + 1)
      if (i < queue_sweep_key && (\reasons.disabled.words [32*i+:32] != 0 || \reasons.disabled_query.words [32*i+:32] != 0)) swept = 1'b0;
  end
  always @(*) if (checking) helper_swept: assert ((queue_sweep_enable || \queue.sequencer.swept_once ) && !done_warp
    && (!queue_sweep_enable || (!warp_running && !queue_sweep_key[4] && (launches ? \queue.sequencer.swept_once : sequencer_idle && !\queue.sequencer.swept_once ) && swept)));
  // A warp that is being launched does not run yet; of one that does not run the sequencer rests. One that is parked is idle, or is being saved.
  always @(*) if (checking) helper_runs: assert ((warp_running ? !launches : sequencer_idle || launches) && (!sequencer_parked || (warp_running && (sequencer_idle || sequencer_held_withdraw))));
  always @(*) if (checking && known) helper_live: assert (live == (launched_threads & ~exited) && (exited & ~launched_threads) == 0);
  always @(*) if (checking && launches) helper_launch: assert (active == launched_threads && exited == 0 && sequencer_held_survivors == (active != 0));
  // What the sequencer holds: of an instruction that waits for a token, that puts one in front, or that takes one away.
  always @(*) if (checking) helper_held: assert ((!sequencer_held_withdraw || sequencer_idle || sequencer_unwinding)
    && (!sequencer_decides || (!sequencer_held_call && !sequencer_held_indirect)) && (!(sequencer_defers && (sequencer_held_call || sequencer_held_indirect)) || sequencer_held_taken_first)
    && (!sequencer_places || !sequencer_held_call || !sequencer_held_stays) && (!(sequencer_decides || sequencer_defers) || (sequencer_held_kind == KIND_DIVERGENCE && !sequencer_held_stays))
    && (!sequencer_backs || sequencer_held_kind == KIND_YIELD)
    && (!sequencer_finds || (leaves == held && leave_kind == sequencer_held_kind && leave_targeted == sequencer_held_targeted && leave_target == hand_held_target && !sequencer_held_yield
      && leave_kind != KIND_DIVERGENCE && leave_kind != KIND_YIELD && leave_kind != KIND_BARRIER)));
  always @(*) if (checking && known) helper_owes: assert (owes == (sequencer_places || (sequencer_defers && sequencer_held_call))
    && (!sequencer_places || operation_token == owed) && (!(sequencer_defers && sequencer_held_call) || owed == {KIND_CALL, rest, address + 1'b1}));
  // Who is to wait is active; who yields is active, or in hand and not disabled. Others stay active if the sequencer says so.
  always @(*) if (checking && (sequencer_decides || sequencer_defers)) helper_sides: assert ((hand_held & ~active) == 0 && rest != 0 && hand_held != 0);
  always @(*) if (checking && sequencer_places) helper_places: assert (active != 0);
  always @(*) if (checking && sequencer_finds) helper_finds: assert ((hand_held & ~active) == 0 && sequencer_held_survivors == (rest != 0));
  always @(*) if (checking && sequencer_backs) helper_backs: assert (sequencer_held_survivors == (rest != 0));
  always @(*) if (checking && sequencer_unwinding) helper_unwinds: assert (sequencer_held_withdraw ? sequencer_parked == (active == 0) : active == 0);
  always @(*) if (checking && warp_running && sequencer_idle) helper_idle: assert (sequencer_parked == (active == 0));
  // Where those go on whose instruction is not done.
  wire takes = sequencer_held_indirect || sequencer_held_call || (sequencer_defers && sequencer_held_taken_first) ? !held : held;
  always @(*) if (checking && (sequencer_decides || sequencer_defers) && on) helper_splits: assert (where == (takes ? hand_held_target : sequencer_held_indirect ? address : address + 1'b1));
  always @(*) if (checking && sequencer_places && on) helper_pushed: assert (where == (sequencer_held_call ? hand_held_target : goes_on));
  always @(*) if (checking && sequencer_finds && on) helper_leaves: assert (where == (held ? hand_held_target : goes_on));
  always @(*) if (checking && sequencer_backs && (on || held)) helper_yields: assert (where == (!held ? goes_on : sequencer_held_yield ? address + 1'b1 : hand_held_target));
  always @(*) if (checking && (launches || (known && (sequencer_idle || sequencer_unwinding))) && on) helper_stays: assert (where == address);
  // An answer that there is no token is one to a pop of an empty queue.
  always @(*) if (checking && queue_response_valid && (queue_response_code == 0 || queue_response_code == 3) && !queue_response_found && sequencer_unwinding) helper_no_token: assert (no_token);
  // The queue does one thing at a time.
  (* hierconn *) wire \queue.sequencer.sweeps ;
  (* hierconn *) wire \queue.sequencer.scans ;
  (* hierconn *) wire \queue.sequencer.recenters ;
  (* hierconn *) wire \queue.sequencer.seeks ;
  (* hierconn *) wire \queue.sequencer.stops ;
  always @(*) if (checking) helper_queue: assert (3'd0 + \queue.sequencer.sweeps + \queue.sequencer.scans + \queue.sequencer.recenters + \queue.sequencer.seeks + \queue.sequencer.spills
    + \queue.sequencer.stops <= 1);
  // What a pop has brought is looked at before another token enters but through the push port.
  always @(*) if (checking && popped) helper_pops_first: assert (!(sequencer_operation_valid && takes_token));
  // Nothing is asked or announced before a launch has cleared the queue.
  always @(*) if (checking && !begun) helper_begins_clear: assert (!warp_running && !sequencer_operation_announce && (!sequencer_operation_valid || code == 5));
`endif
