// Who is inside a critical section (BR-31, BR-32, BR-40).

  // A slot starts a thread only when none stays inside it (invariant 1 of the slots), one slot at a time, and the thread, which sleeps, is inside no other.
  integer i;
  localparam SLOTS = $bits(present);
`ifdef SMALLEST
  wire elsewhere = (present[0] && staying[0] && row_0 == start_row && offset_0 == start_offset)
    || (present[1] && staying[1] && row_1 == start_row && offset_1 == start_offset);
`else
  // The thread that was started last in each slot.
  localparam THREAD_BITS = $bits(start_row) + $bits(start_offset);
  reg [SLOTS*THREAD_BITS-1:0] started_in;
  reg elsewhere;
  always @(posedge clock) for (i = 0; i < SLOTS; i = i + 1) if (start_slots[i]) started_in[i*THREAD_BITS+:THREAD_BITS] <= {start_row, start_offset};
  always @(*) begin
    elsewhere = 1'b0;
    for (i = 0; i < SLOTS; i = i + 1) if (present[i] && staying[i] && started_in[i*THREAD_BITS+:THREAD_BITS] == {start_row, start_offset}) elsewhere = 1'b1;
  end
`endif
  always @(*) if (checking) starts_alone: assume ((start_slots & staying) == 0 && (start_slots & (start_slots - 1'b1)) == 0 && (start_slots == 0 || !elsewhere));
  // One step is in the execute stage at a time; a bottom is of threads; a barrier is in one slot.
  always @(*) if (checking) one_step_at_a_time: assume (top_valid + bottom_valid + exit_valid + reset_valid <= 1
    && (!bottom_valid || execute_mask != 0) && (key_slots & (key_slots - 1'b1)) == 0);

  // Any one slot is watched: the thread inside it, as it was started.
  (* anyconst *) reg [$clog2(SLOTS)-1:0] watched;
  reg inside;
  reg [$bits(start_row)-1:0] row;
  reg [$bits(start_offset)-1:0] offset;
  wire [$bits(execute_mask)-1:0] thread = inside && row == execute_row ? 1 << offset : 0;
  wire leaves = (key_slots[watched] && (reset_valid || (bottom_valid && execute_mask == thread))) || (exit_valid && |(execute_mask & thread));
  always @(posedge clock)
    if (reset) inside <= 1'b0;
    else if (start_slots[watched]) begin
      inside <= 1'b1;
      row <= start_row;
      offset <= start_offset;
    end else if (leaves) inside <= 1'b0;
  // 1. and 2. A thread is inside from its start until its bottom, its exit, or the reset of its barrier, and no longer (BR-32, BR-40).
  always @(*) if (checking) inside_until_it_leaves: assert (entered[watched] == inside && staying[watched] == (inside && !leaves));
  // 3. A bottom is in error if and only if one of its threads is not inside the section of its barrier.
  always @(*) if (checking && bottom_valid && key_slots[watched]) bottom_is_judged: assert (bottom_error == ((execute_mask & ~thread) != 0));
  // 3. A bottom of a barrier that is in no slot is in error.
  always @(*) if (checking && bottom_valid && key_slots == 0) bottom_needs_a_slot: assert (bottom_error && offenders == execute_mask);
  // 4. A top by a thread that is inside a section is in error (BR-40), and names the thread.
  always @(*) if (checking && top_valid && |(execute_mask & thread)) nesting_is_an_error: assert (top_error && (offenders & thread) != 0);
  // 4. A top in error names one section, and one that has a thread inside.
  always @(*) if (checking && top_valid && top_error) error_has_a_section: assert (other_slots != 0 && (other_slots & (other_slots - 1'b1)) == 0 && (other_slots & ~present) == 0);

  // Another thread starts as one leaves.
  changes: cover property (checking && leaves && inside && start_slots[watched]);
  // A thread exits inside a section.
  exits: cover property (checking && exit_valid && leaves && watched == 1);

`ifdef SMALLEST
  // The registers of the slot hold the thread.
  always @(*) if (checking && inside) helper_registers: assert (row == (watched ? row_1 : row_0) && offset == (watched ? offset_1 : offset_0));
  // 5. Nobody is inside two sections.
  always @(*) if (checking) inside_one_section: assert (!(&present && row_0 == row_1 && offset_0 == offset_1));
`endif
