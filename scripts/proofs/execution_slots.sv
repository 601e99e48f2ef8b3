// The barriers whose sections run (BR-20, BR-31, BR-33, BR-37, BR-40).

  // Conflicts are mutual and do not change after a reset.
  reg [15:0] past_conflicts;
  reg mutual, chosen_before;
  integer i, j;
  always @(posedge clock) {chosen_before, past_conflicts} <= {checking, class_conflicts};
  always @(*) begin
    mutual = 1'b1;
    for (i = 0; i < 4; i = i + 1) for (j = 0; j < 4; j = j + 1) if (class_conflicts[4*i+j] != class_conflicts[4*j+i]) mutual = 1'b0;
  end
  always @(*) if (checking) conflicts_are_static: assume (mutual && (!chosen_before || class_conflicts == past_conflicts));

  // Any two slots.
  (* anyconst *) reg [$bits(hand_slot)-1:0] one, second;
  // The barriers in them, as they were handed over; the slots of the one that is handed over, and of the one in the execute stage.
`ifdef SMALLEST
  wire [1:0] key_of_one = one ? key_1 : key_0, key_of_second = second ? key_1 : key_0;
  wire [1:0] slots_of_handed = held & {key_1 == hand_key, key_0 == hand_key};
  wire [1:0] slots_of_key = held & {key_1 == execute_key, key_0 == execute_key};
`else
  reg [$bits(hand_key)-1:0] key_of_one, key_of_second;
  always @(posedge clock) begin
    if (hand_valid && hand_slots[one]) key_of_one <= hand_key;
    if (hand_valid && hand_slots[second]) key_of_second <= hand_key;
  end
  wire [1:0] slots_of_handed = {held[one] && key_of_one == hand_key, held[second] && key_of_second == hand_key};
  wire [$bits(held)-1:0] slots_of_key = key_slots;
`endif
  // The queue hands over a barrier that is in no slot to a slot that is free, and keeps exclusivity (invariants 1 and 2 of the queue).
  wire [3:0] hand_row = class_conflicts >> {hand_class, 2'b00};
  always @(*) if (checking) hands_to_a_free_slot: assume (!hand_valid || (hand_slots == (1 << hand_slot) && (hand_slots & held) == 0 && slots_of_handed == 0));
  always @(*) if (checking) hands_exclusively: assume (!hand_valid || hand_discarded
    || ((hand_row & exclusive_classes) == 0 && (!hand_exclusive || (hand_row & inside_classes) == 0)));
  // A slot is searched that needs it or is handed a section in this cycle; a search does not find and end at once.
  always @(*) if (checking) serves_who_needs: assume (!serve_valid || (serve_slots == (1 << serve_slot)
    && (serve_slots & (needing | (hand_valid && hand_critical && !hand_discarded ? hand_slots : 0))) != 0 && !(serve_found && serve_ends)));
  // Who has joined is found: a search that begins anew for it does not end in its first step.
  always @(*) if (checking) joins_are_found: assume (!(serve_valid && serve_ends) || (serve_slots & searched & rescan & ~(hand_valid ? hand_slots : 0)) == 0);
  // The arbiter starts one of those that can start.
  always @(*) if (checking) starts_one: assume (start_slots == 0 || (start_slots == (1 << start_slot) && (start_slots & ~schedulable) == 0));
  // The threads inside: one that starts is inside, until it leaves; the reset of its barrier takes it out.
  reg [$bits(held)-1:0] inside;
  always @(posedge clock) inside <= reset ? 0 : staying | start_slots;
  always @(*) if (checking) inside_is_tracked: assume (!started || (entered == inside && (staying & ~entered) == 0 && (!reset_valid || (staying & key_slots) == 0)));
  // One step is in the execute stage at a time.
  always @(*) if (checking) one_step_at_a_time: assume (join_valid + reset_valid + finishing <= 1);

  // A slot that is emptied is one of the held CTA, with nobody inside; the queue and the execute stage wait meanwhile (CX-10, the saver's `busy`).
  always @(*) if (checking) empties_what_is_held: assume (remove_slots == 0
    || ((remove_slots & (~frozen | entered | start_slots)) == 0 && !hand_valid && !finish_ready));

  // 1. A slot starts a thread only while none is inside it (BR-31, BR-40).
  always @(*) if (checking) starts_alone: assert ((schedulable & staying) == 0 && (schedulable & ~held) == 0);
  // 1. and `barrier_scheduler` 1. Of two slots whose classes conflict and of which one is exclusive, one at most has a thread inside (BR-37, BR-40).
  always @(*) if (checking && one != second && entered[one] && entered[second]) exclusive_is_alone: assert (!(attributes_exclusive[one] || attributes_exclusive[second])
    || !class_conflicts[4*{attributes_class_high[one], attributes_class_low[one]}+{attributes_class_high[second], attributes_class_low[second]}]);

  // `owed`: a thread has joined and no pass has started since. A pass starts with the first search of a slot that was handed over, or whose pass
  // has ended.
  reg [$bits(held)-1:0] owed;
  reg [$bits(held)-1:0] between;
  wire [$bits(held)-1:0] handed = hand_valid ? hand_slots : 0;
  wire [$bits(held)-1:0] served = serve_valid ? serve_slots : 0;
  reg [$bits(held)-1:0] joining;
  always @(*) begin
    joining = 0;
    for (i = 0; i < $bits(held); i = i + 1)
      if (join_valid && (handed[i] ? hand_critical && hand_key == execute_key : section[i] && slots_of_key[i]))
        joining[i] = 1'b1;
  end
  always @(posedge clock)
    if (reset) begin
      owed <= 0;
      between <= 0;
    end else begin
      owed <= (owed & ~handed & ~(served & (between | handed))) | joining;
      between <= ((between | handed) & ~served) | (serve_ends ? served : 0);
    end
  // 2. A slot ends only after a pass that found nobody, with nobody inside or found, and nobody who joined after the pass had started (BR-33);
  // or its CTA leaves with all who are in it.
  always @(*) if (checking) nobody_is_forgotten: assert ((freed & ~remove_slots & ~discarded & (owed | known | entered | ~searched)) == 0);
  // 2. A slot that owes a search asks for one: it is marked, or between two passes.
  always @(*) if (checking) helper_owed: assert ((owed & held & ~discarded & ~rescan & ~(between & ~searched)) == 0);
  // A slot whose pass has ended and that is not searched is between two passes, and so is one that was searched.
  always @(*) if (checking) helper_between: assert ((searched & section & held & ~between) == 0);
  // A slot without a section searches for nobody.
  always @(*) if (checking) helper_no_section: assert ((held & ~section & (owed | rescan | known | ~searched)) == 0);
  // 4. A slot of a held CTA does not end: it is emptied, or stays (CX-10).
  always @(*) if (checking) held_does_not_end: assert ((freed & frozen & ~remove_slots) == 0);
  // 3. A slot that was reset starts nobody, also in the cycle of the reset.
  reg [$bits(held)-1:0] gone;
  always @(posedge clock)
    if (reset) gone <= 0;
    else gone <= (gone & ~handed) | (hand_discarded ? handed : 0) | (reset_valid ? (held & key_slots) | (hand_key == execute_key ? handed : 0) : 0);
  always @(*) if (checking) reset_starts_nobody: assert ((schedulable & (gone | (reset_valid ? key_slots : 0))) == 0);
  // The reset is remembered.
  always @(*) if (checking) helper_gone: assert (((gone ^ discarded) & held) == 0);
  // Whoever was reset is not inside.
  always @(*) if (checking) helper_gone_is_out: assert ((discarded & held & entered) == 0);
  // Who is inside is inside a slot that holds a barrier.
  always @(*) if (checking) helper_inside: assert ((entered & ~held) == 0);
  // 5. An offer is held until it is taken, or its CTA leaves.
  reg offering;
  reg [$bits(finish_key)-1:0] offered_key;
  always @(posedge clock) begin
    offering <= !reset && finish_valid && !finish_ready && (offer & remove_slots) == 0;
    offered_key <= finish_key;
  end
  always @(*) if (checking && offering) offer_is_stable: assert (finish_valid && finish_key == offered_key);
  // What is offered lies in a slot that holds a barrier; the finish is that slot's.
  always @(*) if (checking) helper_offer: assert ((!finishing || !offered) && (!(offered || finishing) || (offer == (1 << offer_slot) && (offer & ~held) == 0)));
  // 6. No two slots hold the same barrier, and the slot of the one in the execute stage is told (BR-41).
  always @(*) if (checking && one != second) barriers_differ: assert (!(held[one] && held[second] && key_of_one == key_of_second)
    && !(key_slots[one] && key_slots[second]) && key_slots[one] == (held[one] && key_of_one == execute_key));

  // A thread joins while the last pass ends.
  joins_late: cover property (checking && |(joining & ends));
  // A finish is cancelled by a thread that has joined.
  cancelled: cover property (checking && finishing && finish_cancel);
  // An exclusive slot waits for a thread in another.
  waits: cover property (checking && |(known & attributes_exclusive & gate_blocked) && |entered);
  // The CTA of an offered finish leaves.
  leaves_offered: cover property (checking && finish_valid && |remove_slots);
  // A slot is reset while a thread is inside.
  reset_inside: cover property (checking && reset_valid && |(key_slots & entered));

  // 6. A thread starts, and a finish is, of the barrier in the slot.
  always @(*) if (checking) names_its_barrier: assert ((!(finish_valid || finishing) || offer_slot != one || finish_key == key_of_one)
    && (!schedulable[start_slot] || start_slot != one || start_key == key_of_one));

`ifdef SMALLEST
  (* hierconn *) wire [3:0] \finish_keys.words ;
  (* hierconn *) wire [3:0] \start_keys.words ;
  // The copies of the keys agree.
  always @(*) if (checking) helper_copies: assert (
    (!held[0] || (\finish_keys.words [1:0] == key_0 && \start_keys.words [1:0] == key_0)) && (!held[1] || (\finish_keys.words [3:2] == key_1 && \start_keys.words [3:2] == key_1)));
`endif
