// Whose wake-up is shown next, and who waits for whom (BR-43, BR-45).

  // What is shown, and what was chosen, in the cycle before.
  reg held_before, chosen_before, started_before;
  reg [$bits(wake_row)-1:0] shown_row, chosen_row;
  reg [$bits(wake_mask)-1:0] shown_mask, chosen_mask;
  reg [21:0] shown_address, chosen_address;
  reg shown_inside;
  always @(posedge clock) begin
    held_before <= !reset && wake_valid && !wake_ready;
    {shown_row, shown_mask, shown_address, shown_inside} <= {wake_row, wake_mask, wake_address, wake_inside};
    chosen_before <= !reset && (start_now || walk_now);
    started_before <= start_now;
    {chosen_row, chosen_mask} <= start_now ? {start_row, {$bits(wake_mask){1'b0}} | (1'b1 << start_offset)} : {walk_row, walk_mask};
    chosen_address <= start_now ? start_tag + 22'd1 : walk_address;
  end
  // 1. A wake-up that is not taken is shown on, unchanged.
  always @(*) if (checking && held_before) shown_until_taken: assert (wake_valid
    && {wake_row, wake_mask, wake_address, wake_inside} == {shown_row, shown_mask, shown_address, shown_inside});
  // 1. What is chosen is shown in the next cycle: one thread, which continues behind its top and is inside, or who sleeps in a release's block.
  always @(*) if (checking && chosen_before) shows_what_was_chosen: assert (wake_valid
    && {wake_row, wake_mask, wake_address, wake_inside} == {chosen_row, chosen_mask, chosen_address, started_before});
  // 1. Only what was chosen is shown.
  always @(*) if (checking && !chosen_before && !held_before) nothing_else_is_shown: assert (!wake_valid);

  // A start, or a block with sleepers, that waits has been passed by one of the other.
  wire block = walk_valid && walk_mask != 0;
  reg start_was_passed, block_was_passed;
  always @(posedge clock) begin
    start_was_passed <= !reset && start_valid && !start_now && (start_was_passed || walk_now);
    block_was_passed <= !reset && block && !walk_now && (block_was_passed || start_now);
  end
  // 2. and `barrier_execution` 3. A section's start waits for at most one block of a release (BR-43).
  always @(*) if (checking && start_valid && start_was_passed) start_waits_for_one: assert (!walk_now);
  // 2. and `barrier_execution` 3. A release's block waits for at most one start (BR-45).
  always @(*) if (checking && block && block_was_passed) block_waits_for_one: assert (!start_now);
  // 2. One of them is chosen whenever any waits and the port is free; a block without sleepers is not.
  always @(*) if (checking) never_idle: assert ((start_now || walk_now) == ((start_valid || block) && (!wake_valid || wake_ready)) && !(start_now && walk_now));

  // Each has been passed by the other, and goes.
  start_goes: cover property (checking && start_was_passed && block && start_now);
  block_goes: cover property (checking && block_was_passed && start_valid && walk_now);

  // Who was passed last goes first.
  always @(*) if (checking && block_was_passed) helper_block_first: assert (walk_first);
  always @(*) if (checking && start_was_passed) helper_start_first: assert (!walk_first);
