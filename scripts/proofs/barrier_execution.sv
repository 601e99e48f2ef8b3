// The execution side of the barrier scheduler (BR-30 to BR-33, BR-40, BR-41, BR-45): dynamic barriers wait for a slot, their sections run a
// thread at a time, releases become wake-ups; at a point with two CTAs of two blocks of four threads, and two barriers.

  localparam [3:0] CODE_WAIT = 4'd8, CODE_RESET = 4'd6, CODE_DEPOSIT = 4'd13, WORD_STATE = 4'd9;
  (* hierconn *) wire [1:0] \slots.key_0 ;
  (* hierconn *) wire [1:0] \slots.key_1 ;
  (* hierconn *) wire [1:0] \slots.known ;
  (* hierconn *) wire [1:0] \slots.section ;
  (* hierconn *) wire [1:0] \slots.discarded ;
  (* hierconn *) wire [1:0] \slots.searched ;
  (* hierconn *) wire [1:0] \slots.rescan ;
  (* hierconn *) wire \slots.finishing ;
  (* hierconn *) wire \slots.offer_slot ;
  (* hierconn *) wire [1:0] \slots.inside ;
  (* hierconn *) wire [3:0] \slots.serve_keys.words ;
  (* hierconn *) wire [3:0] \slots.other_keys.words ;
  (* hierconn *) wire [1:0] \slots.logical.words ;
  (* hierconn *) wire [1:0] \slots.block.words ;
  (* hierconn *) wire [3:0] \slots.offset.words ;
  (* hierconn *) wire [1:0] \sections.row_0 ;
  (* hierconn *) wire [1:0] \sections.row_1 ;
  (* hierconn *) wire [1:0] \sections.offset_0 ;
  (* hierconn *) wire [1:0] \sections.offset_1 ;
  (* hierconn *) wire [1:0] \fifo.watched ;
  (* hierconn *) wire [1:0] \fifo.common.first ;
  (* hierconn *) wire [1:0] \fifo.own.first ;
  (* hierconn *) wire [123:0] \fifo.common.memory_part.words ;
  (* hierconn *) wire [123:0] \fifo.own.memory_part.words ;
  (* hierconn *) wire [3:0] \fifo.inside_queue ;
  (* hierconn *) wire [3:0] \fifo.marked ;
  (* hierconn *) wire [3:0] \walker.unwalked ;
  (* hierconn *) wire \walker.logical ;
  (* hierconn *) wire [99:0] \walker.queue.memory_part.words ;
  (* hierconn *) wire [1:0] \walker.queue.first ;
  (* hierconn *) wire [2:0] \walker.queue_count ;
  (* hierconn *) wire \saver.closed ;
  (* hierconn *) wire \saver.drained ;
  (* hierconn *) wire \saver.from_slots ;
  (* hierconn *) wire \saver.from_common ;
  (* hierconn *) wire [2:0] \saver.left ;
  (* hierconn *) wire [1:0] \threads.sweep ;
  (* hierconn *) wire [15:0] \threads.slept.own.words ;
  (* hierconn *) wire [15:0] \threads.slept.walk.words ;
  (* hierconn *) wire [15:0] \threads.slept.select.words ;
  (* hierconn *) wire [15:0] \threads.woken.own.words ;
  (* hierconn *) wire [15:0] \threads.woken.walk.words ;
  (* hierconn *) wire [15:0] \threads.woken.select.words ;
  (* hierconn *) wire [15:0] \threads.woken_sleep.words ;
  (* hierconn *) wire [15:0] \threads.done.own.words ;
  (* hierconn *) wire [15:0] \threads.done.walk.words ;
  (* hierconn *) wire [15:0] \threads.done.select.words ;
  (* hierconn *) wire [15:0] \threads.phase.own.words ;
  (* hierconn *) wire [15:0] \threads.phase.walk.words ;
  (* hierconn *) wire [15:0] \threads.barrier_0.own.words ;
  (* hierconn *) wire [15:0] \threads.barrier_0.walk.words ;
  (* hierconn *) wire [15:0] \threads.barrier_0.select.words ;
  (* hierconn *) wire [3:0] \map_part.walk_map.words ;
  (* hierconn *) wire [3:0] \map_part.select_map.words ;
  (* hierconn *) wire [1:0] \map_part.walk_end.words ;
  (* hierconn *) wire [1:0] \map_part.select_end.words ;

  // Who sleeps, of all 16 threads, in which barrier of its CTA, in which phase, and who is done, as the block has it.
  wire sweeping = threads_sweeping || walker_sweeping;
  wire [15:0] asleep = \threads.slept.own.words ^ \threads.woken.own.words ;
  wire [15:0] is_done = \threads.done.own.words ;
  wire [15:0] in_phase = \threads.phase.own.words ;
  wire [15:0] in_barrier = \threads.barrier_0.own.words ;
  wire [3:0] slot_keys = {\slots.key_1 , \slots.key_0 };
  wire [3:0] unwalked = \walker.unwalked ;
  wire [3:0] here = 4'd1 << execute_key;

  wire launches = launch, refused_there = execute_refused, error_inside = error_valid;
  // include barrier_contract

  // `running`: the barriers that have turned dynamic, and have neither ended nor left with their CTA; `phase`: the phase of each;
  // `launched`: the CTAs that were launched, `blocks`: the blocks that these have.
  reg [3:0] running, phase;
  reg [1:0] launched;
  wire turning = saver_turn_common || saver_turn_own;
  reg [3:0] left;
  reg [3:0] blocks;
  reg [3:0] sleeping_here;
  integer i;
  always @(*) begin
    left = 0;
    if (finishes && !finish_cancel) left[finishing] = 1'b1;
    for (i = 0; i < 2; i = i + 1) if (saver_remove_slots[i]) left[slot_keys[2*i+:2]] = 1'b1;
    if (turning && fifo_turn_mine) left[fifo_turn_key] = 1'b1;
    for (i = 0; i < 4; i = i + 1)
      blocks[i] = launched[i / 2] && (\map_part.select_end.words [i / 2] || \map_part.select_map.words [2*(i / 2)] == i % 2);
    sleeping_here = 0;
    for (i = 0; i < 16; i = i + 1) if (asleep[i]) sleeping_here[{i / 8 == 1, in_barrier[i]}] = 1'b1;
  end
  (* anyseq *) reg new_phase;
  wire chooses_phase = execute_act && (execute_operation == CODE_RESET || (execute_operation == CODE_DEPOSIT && execute_word == WORD_STATE));
  always @(posedge clock) begin
    if (reset) begin
      running <= 0;
      launched <= 0;
    end else begin
      running <= (running & ~left) | (dynamic_valid ? here : 0);
      if (launch) begin
        launched[execute_cta] <= 1'b1;
        phase[execute_key] <= 1'b0;
      end
      if (release_valid) phase[execute_key] <= !phase[execute_key];
      else if (chooses_phase) phase[execute_key] <= new_phase;
    end
  end

  // A barrier turns dynamic if it is not, and once the wake-ups of its last phase are out; so does a phase end at the arrival side (BR-14, BR-30). A thread
  // that sleeps inside a section waits for a split phase, of a barrier that does not turn dynamic.
  always @(*) if (checking) turns_dynamic_once: assume ((!dynamic_valid || (execute_operation != CODE_WAIT && !running[execute_key] && !release_busy && (here & inside_sleepers) == 0))
    && (!release_valid || (release_phase == phase[execute_key] && (finishes || (!running[execute_key] && !release_busy)))));
  // A dynamic barrier is reset, or was before its CTA left (BR-25, CX-10).
  always @(*) if (checking) resets_dynamic: assume (!reset_valid || (execute_operation == CODE_RESET ? running[execute_key] && !dynamic_valid : execute_operation == CODE_DEPOSIT && dynamic_valid));
  // Who asks is awake, unless it arrives or exits in error, which has no effect; a bottom is judged here, where that of a sleeping thread would not be noticed.
  // Who falls asleep is a thread of the CTA's, in the present phase, inside no section unless it waits for a split phase; in a running barrier it either
  // joins, or sleeps until the end only (BR-19, BR-20, BR-23).
  wire asks = ((top || departs) && execute_act) || bottom;
  wire [3:0] asleep_there = asleep[{execute_row, 2'd0}+:4];
  wire [3:0] inside_there = (sections_entered[0] && \sections.row_0 == execute_row ? 1 << \sections.offset_0 : 0)
    | (sections_entered[1] && \sections.row_1 == execute_row ? 1 << \sections.offset_1 : 0);
  always @(*) if (checking) who_asks_is_awake: assume ((!asks || (execute_mask & asleep_there) == 0) && (sleep_mask & asleep_there) == 0);
  always @(*) if (checking) sleeps_where_it_may: assume ((!(sleep_mask != 0 || bottom) || (blocks[execute_row] && sleep_phase == phase[execute_key]))
    && ((sleep_mask & inside_there) == 0 || (execute_operation == CODE_WAIT && !running[execute_key]))
    && (sleep_mask == 0 || !running[execute_key] || sleep_rescan != sleep_done));
  // A CTA is launched that has no barrier at work; it has threads, and as many blocks as these need, each once (BR-02, BR-05).
  always @(*) if (started && launch) launches_what_is_idle: assume ((reset || ((running >> {execute_cta, 1'b0} & 4'd3) == 0 && !release_busy_cta))
    && execute_data[15:0] >= 1 && execute_data[15:0] <= 8 && (execute_data[15:0] <= 4 || execute_data[16] != execute_data[17]));
  // A phase is put back, or given up, before anybody sleeps in it (BR-25, BR-50, CX-10).
  always @(*) if (checking && chooses_phase) phases_are_put_back: assume (sleep_mask == 0 && (release_valid || new_phase == phase[execute_key]
    || ((sleeping_here & here) == 0 && !running[execute_key] && !release_busy)));
  // The static choices do not change after a reset, and conflicts are mutual.
  reg [1:0] past_reserved;
  reg [15:0] past_conflicts;
  reg mutual, chosen_before;
  integer j;
  always @(posedge clock) {chosen_before, past_reserved, past_conflicts} <= {checking, reserved_slots, class_conflicts};
  always @(*) begin
    mutual = 1'b1;
    for (i = 0; i < 4; i = i + 1) for (j = 0; j < 4; j = j + 1) if (class_conflicts[4*i+j] != class_conflicts[4*j+i]) mutual = 1'b0;
  end
  always @(*) if (checking) choices_are_static: assume (mutual && (!chosen_before || (reserved_slots == past_reserved && class_conflicts == past_conflicts)));

  // The barriers in which a thread sleeps that is inside a section.
  reg [3:0] inside_sleepers;
  wire [3:0] inside_0 = {\sections.row_0 , \sections.offset_0 };
  wire [3:0] inside_1 = {\sections.row_1 , \sections.offset_1 };
  always @(*) begin
    inside_sleepers = 0;
    if (sections_entered[0] && asleep[inside_0]) inside_sleepers[{inside_0[3], in_barrier[inside_0]}] = 1'b1;
    if (sections_entered[1] && asleep[inside_1]) inside_sleepers[{inside_1[3], in_barrier[inside_1]}] = 1'b1;
  end

  // Any one thread of any one barrier is watched: whether it takes part in the present execution, and how often it has run its section in it.
  (* anyconst *) reg [1:0] key;
  (* anyconst *) reg block;
  (* anyconst *) reg [1:0] offset;
  wire [3:0] thread = {key[1], block, offset};
  wire at_key = execute_key == key;
  wire at_thread = execute_row == thread[3:2];
  wire joins = at_key && at_thread && sleep_mask[offset] && !sleep_done;
  wire [1:0] start_key = slots_start_slots[1] ? slot_keys[3:2] : slot_keys[1:0];
  wire starts = slots_start_slots != 0 && start_key == key;
  wire runs_now = starts && start_row == thread[3:2] && slots_start_offset == offset;
  reg takes_part, critical, closed;
  reg [1:0] runs;
  always @(posedge clock)
    if (reset || (at_key && release_valid) || (launch && at_thread)) begin
      takes_part <= 1'b0;
      runs <= 0;
    end else begin
      takes_part <= takes_part || joins;
      runs <= runs + (runs_now && runs != 3);
    end
  always @(posedge clock) if (at_key) begin
    if (dynamic_valid) critical <= dynamic_critical;
    if (dynamic_valid || reset_valid) closed <= reset_valid;
  end
  // It arrives once in an execution: who has arrived waits until the barrier is idle (BR-16, BR-20, `counts_once` of the arrival tracker).
  always @(*) if (checking && joins) arrives_once: assume (!takes_part);
  // 5. What is ended is dynamic: this is what `barrier_scheduler` assumes of this side.
  always @(*) if (checking && finishes && !finish_cancel) ends_what_runs: assert (running[finishing]);
  // Only requests are found wrong, which are no launches: it assumes that, too.
  always @(*) if (checking) helper_wrong: assert ((execute_request && !launch) || !(error_valid || saving_refused));
  // What the parts watch is the same.
  (* hierconn *) wire [1:0] \threads.row ;
  (* hierconn *) wire [1:0] \threads.thread ;
  (* hierconn *) wire [1:0] \walker.watched ;
  (* hierconn *) wire \map_part.cta ;
  always @(*) same_is_watched: assume (\fifo.watched == key && {\threads.row , \threads.thread } == thread && \walker.watched == key && \map_part.cta == key[1]);

  // 4. A thread runs a section only if it takes part in its execution, and once at most (BR-31, BR-41).
  always @(*) if (checking && runs_now) runs_at_most_once: assert (takes_part && runs == 0);
  // 4. and `barrier_scheduler` 2. When an execution of a section ends that was not reset, each participant has run it, exactly once (BR-33, BR-41).
  always @(*) if (checking && finishes && !finish_cancel && finishing == key && critical && !closed) runs_exactly_once: assert (runs == takes_part);
  // 5. and `barrier_scheduler` 2. A barrier that is dynamic waits in the queue or is in a slot, once, and no other is (BR-41).
  reg [3:0] in_slots;
  reg differ;
  always @(*) begin
    in_slots = 0;
    for (i = 0; i < 2; i = i + 1) if (occupied[i]) in_slots[slot_keys[2*i+:2]] = 1'b1;
    differ = !(&occupied) || slot_keys[3:2] != slot_keys[1:0];
  end
  always @(*) if (checking) each_has_its_place: assert (differ && (\fifo.inside_queue & in_slots) == 0 && (\fifo.inside_queue | in_slots) == running);
  // 6. Who sleeps in a phase that has ended waits for its wake-up: when the release is walked to its end, nobody is left (BR-30, BR-45).
  always @(*) if (checking && !threads_sweeping && !second && asleep[thread] && in_barrier[thread] == key[0] && in_phase[thread] != phase[key]) all_are_woken: assert (unwalked[key]);
  // 2. and `barrier_scheduler` 1. No thread starts in a section while another is inside: it was started there, and has not reached its bottom, exited, or been reset
  // (BR-31, BR-40).
  reg inside;
  reg [3:0] who;
  wire leaves = (at_key && reset_valid) || (who[3:2] == execute_row && ((at_key && bottom && !sections_bottom_error) || departs) && execute_mask[who[1:0]]);
  always @(posedge clock)
    if (reset) inside <= 1'b0;
    else if (starts) begin
      inside <= 1'b1;
      who <= {start_row, slots_start_offset};
    end else if (leaves) inside <= 1'b0;
  always @(*) if (checking && starts) one_inside: assert (!inside || leaves);
  // 1. A thread that starts or is released is shown at the port, in the next cycle, until it is taken, and no other is; one that starts is alone.
  reg due, entering;
  wire woken = port_choice_row == thread[3:2] && port_choice_mask[offset];
  wire shown = wake_valid && wake_cta == thread[3] && wake_block == block && wake_mask[offset];
  always @(posedge clock)
    if (reset) due <= 1'b0;
    else if (woken) {due, entering} <= {1'b1, slots_start_slots != 0};
    else if (wake_ready) due <= 1'b0;
  always @(*) if (checking) woken_once: assert (shown == due && (!shown || (wake_inside == entering && (!entering || wake_mask == 4'd1 << offset))));
  // A thread that was not told to wake asks for nothing.
  always @(*) if (checking && due) woken_first: assume (!at_thread || !(asks && execute_mask[offset]) && !sleep_mask[offset]);

  // The watched thread runs the section in the CTA's second block after another thread has.
  runs_later: cover property (checking && runs_now && block && runs == 0 && \slots.logical.words [slots_start_slots[1]] );
  // A section of the watched barrier ends in which the thread has run.
  ends: cover property (checking && finishes && !finish_cancel && finishing == key && critical && !closed && runs == 1);
  // The thread is released.
  released: cover property (checking && due && !entering && wake_ready && unwalked[key]);

  // Nothing happens in the sweep.
  always @(*) if (checking && sweeping) helper_sweep_is_quiet: assert (past_busy && !second && !finishes && running == 0 && unwalked == 0 && !wake_valid && sections_entered == 0
    && !saver_busy && launched == 0 && !takes_part && !due && runs == 0 && !inside);
  // The copies of who sleeps agree; the sweep has cleared the rows below its own.
  reg [15:0] cleared;
  always @(*) for (i = 0; i < 16; i = i + 1) cleared[i] = !threads_sweeping || i / 4 < \threads.sweep ;
  always @(*) if (checking) helper_copies_of_sleepers: assert (
    ((\threads.slept.own.words ^ \threads.slept.walk.words ) & cleared) == 0 && ((\threads.slept.own.words ^ \threads.slept.select.words ) & cleared) == 0
    && ((\threads.woken.own.words ^ \threads.woken.walk.words ) & cleared) == 0 && ((\threads.woken.own.words ^ \threads.woken.select.words ) & cleared) == 0
    && ((\threads.woken.own.words ^ \threads.woken_sleep.words ) & cleared) == 0 && (!threads_sweeping || (asleep & cleared) == 0));
  wire [15:0] sleeps = threads_sweeping ? 0 : asleep;
  always @(*) if (checking) helper_copies_of_state: assert (
    ((\threads.done.own.words ^ \threads.done.walk.words ) & sleeps) == 0 && ((\threads.done.own.words ^ \threads.done.select.words ) & sleeps) == 0
    && ((\threads.phase.own.words ^ \threads.phase.walk.words ) & sleeps) == 0
    && ((\threads.barrier_0.own.words ^ \threads.barrier_0.walk.words ) & sleeps) == 0 && ((\threads.barrier_0.own.words ^ \threads.barrier_0.select.words ) & sleeps) == 0);
  // What is dynamic is released no more; a finish is of the slot that was offered.
  always @(*) if (checking) helper_released: assert ((running & unwalked) == 0 && finishes == \slots.finishing && (!finishes || finishing == slot_keys[2*\slots.offer_slot +:2]));
  // The other copies of a slot's barrier agree.
  always @(*) if (checking) helper_slot_copies: assert ((!occupied[0] || (\slots.serve_keys.words [1:0] == slot_keys[1:0] && \slots.other_keys.words [1:0] == slot_keys[1:0]))
    && (!occupied[1] || (\slots.serve_keys.words [3:2] == slot_keys[3:2] && \slots.other_keys.words [3:2] == slot_keys[3:2])));
  // A CTA's map names its blocks, each once; only they have sleepers; a walk stays within them.
  reg mapped;
  always @(*) begin
    mapped = 1'b1;
    for (i = 0; i < 2; i = i + 1) if (launched[i]) begin
      if (\map_part.walk_map.words [2*i+:2] != \map_part.select_map.words [2*i+:2] || \map_part.walk_end.words [i] != \map_part.select_end.words [i]) mapped = 1'b0;
      if (\map_part.select_end.words [i] && \map_part.select_map.words [2*i] == \map_part.select_map.words [2*i+1]) mapped = 1'b0;
    end
    for (i = 0; i < 4; i = i + 1)
      if (!threads_sweeping && asleep[4*i+:4] != 0 && !blocks[i] && !(second && step_operation == CODE_LAUNCH && i == {step_cta, 1'b1})) mapped = 1'b0;
  end
  always @(*) if (checking) helper_map: assert (mapped && (!\walker.logical || \map_part.walk_end.words [walker_walk_cta]));
  // A CTA that was launched the cycle before is idle, and the first of its blocks clear.
  always @(*) if (checking && second && step_operation == CODE_LAUNCH) helper_launch: assert (launched[step_cta] && asleep[{step_cta, 3'd0}+:4] == 0
    && (running >> {step_cta, 1'b0} & 4'd3) == 0 && (unwalked >> {step_cta, 1'b0} & 4'd3) == 0 && !phase[{step_cta, 1'b0}] && blocks[{step_cta, 1'b0}] | blocks[{step_cta, 1'b1}]);
  // Who sleeps in a phase that has ended is still to be walked to.
  reg walked;
  reg [1:0] of;
  always @(*) begin
    walked = 1'b1;
    for (i = 0; i < 16; i = i + 1) begin
      of = {i / 8 == 1, in_barrier[i]};
      if (asleep[i] && in_phase[i] != phase[of] && !(second && step_operation == CODE_LAUNCH && i / 4 == {step_cta, 1'b1})) begin
        if (!unwalked[of]) walked = 1'b0;
        if ({walker_walk_cta, walker_walk_barrier} == of && \walker.logical && \map_part.walk_map.words [2*of[1]] == (i / 4) % 2) walked = 1'b0;
      end
    end
  end
  always @(*) if (checking && !threads_sweeping) helper_walked: assert (walked);
  // What waits to be walked is a phase that has ended.
  reg ended_phases;
  reg [1:0] at;
  reg [24:0] word;
  always @(*) begin
    ended_phases = 1'b1;
    for (i = 0; i < 4; i = i + 1) begin
      at = \walker.queue.first + i[1:0];
      word = \walker.queue.memory_part.words [at*25+:25];
      if (i < \walker.queue_count && word[0] == phase[word[24:23]]) ended_phases = 1'b0;
    end
  end
  always @(*) if (checking) helper_ended_phases: assert (ended_phases);
  // The thread that a slot has found sleeps in its barrier and has not run.
  wire [3:0] found_0 = {slot_keys[1], \slots.block.words [0], \slots.offset.words [1:0]};
  wire [3:0] found_1 = {slot_keys[3], \slots.block.words [1], \slots.offset.words [3:2]};
  always @(*) if (checking) helper_found: assert (
    (!occupied[0] || !\slots.known [0] || \slots.discarded [0] || (asleep[found_0] && in_barrier[found_0] == slot_keys[0] && !is_done[found_0]))
    && (!occupied[1] || !\slots.known [1] || \slots.discarded [1] || (asleep[found_1] && in_barrier[found_1] == slot_keys[2] && !is_done[found_1])));
  // Who is inside is of the CTA of the slot's barrier; if it sleeps, then in a barrier that is not dynamic.
  always @(*) if (checking) helper_inside_threads: assert (\slots.inside == sections_entered && (inside_sleepers & running) == 0
    && (!sections_entered[0] || (occupied[0] && inside_0[3] == slot_keys[1])) && (!sections_entered[1] || (occupied[1] && inside_1[3] == slot_keys[3])));
  // The pass has not come to a participant that sleeps, or there is another after it.
  wire present_part = asleep[thread] && in_barrier[thread] == key[0] && !is_done[thread];
  wire place = \map_part.select_map.words [2*key[1]] != block;
  wire [1:0] key_in = {occupied[1] && slot_keys[3:2] == key, occupied[0] && slot_keys[1:0] == key};
  always @(*) if (checking && present_part) helper_search: assert ((key_in & \slots.section & ~\slots.discarded & ~\slots.rescan & (\slots.searched | (\slots.logical.words & {2{!place}}))) == 0);
  // A slot whose pass has ended has found nobody since; if somebody has joined, then a thread that sleeps in its barrier and has not run.
  reg [3:0] to_run;
  always @(*) begin
    to_run = 0;
    for (i = 0; i < 16; i = i + 1) if (asleep[i] && !is_done[i]) to_run[{i / 8 == 1, in_barrier[i]}] = 1'b1;
  end
  wire [1:0] passed = occupied & \slots.section & ~\slots.discarded & \slots.searched ;
  always @(*) if (checking) helper_joined: assert ((passed & \slots.known ) == 0
    && (passed & \slots.rescan & ~{to_run[slot_keys[3:2]], to_run[slot_keys[1:0]]}) == 0);
  // A slot knows what its barrier is, and so does the queue.
  reg waits_as_it_is;
  reg [1:0] entry_at;
  reg [30:0] entry;
  always @(*) begin
    waits_as_it_is = 1'b1;
    for (i = 0; i < 8; i = i + 1) begin
      entry_at = i[2] ? \fifo.own.first + i[1:0] : \fifo.common.first + i[1:0];
      entry = i[2] ? \fifo.own.memory_part.words [entry_at*31+:31] : \fifo.common.memory_part.words [entry_at*31+:31];
      if (i[1:0] < (i[2] ? fifo_own_count : fifo_common_count) && entry[30:29] == key && entry[0] != critical) waits_as_it_is = 1'b0;
    end
  end
  always @(*) if (checking) helper_kind: assert ((key_in & (\slots.section ^ {2{critical}})) == 0 && (key_in & (\slots.discarded ^ {2{closed}})) == 0
    && (!\fifo.inside_queue [key] || \fifo.marked [key] == closed) && waits_as_it_is);
  // A participant sleeps, or it has run.
  wire present_now = present_part && in_phase[thread] == phase[key];
  always @(*) if (checking && !threads_sweeping && !(second && step_operation == CODE_LAUNCH && thread[3:2] == {step_cta, 1'b1})) helper_takes_part: assert (runs <= takes_part && (!present_now || (takes_part && runs == 0)) && (!takes_part || present_now || runs == 1));
  // Who is inside a section of the watched barrier is the one that was started last.
  always @(*) if (checking) helper_one_inside: assert (inside == |(key_in & sections_entered)
    && (!inside || who == (key_in[1] ? inside_1 : inside_0)));
  // What is shown at the port has been woken.
  always @(*) if (checking && due) helper_due: assert (wake_valid);
  // A CTA whose barriers are taken out has nobody inside, and no more entries of a queue are looked at than there are.
  always @(*) if (checking) helper_saver: assert ((!\saver.closed || (saver_holding && inside_held == 0)) && (!saver_busy || (\saver.closed && !\saver.drained ))
    && (!saver_busy || \saver.from_slots || \saver.left <= (\saver.from_common ? fifo_common_count : fifo_own_count)));
  // A pass that has ended leaves the next one at the first block.
  always @(*) if (checking) helper_next_pass: assert ((occupied & \slots.section & ~\slots.discarded & \slots.searched & \slots.logical.words ) == 0);
