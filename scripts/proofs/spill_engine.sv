// Moves tokens between the window and the spill area, and searches the area (DQ-11, DQ-12).

  localparam [4:0] SPILL = 5'b00001, SEARCH = 5'b00010, REFILL = 5'b00100, APPEND = 5'b01000, FIND = 5'b10000;
  wire works = step == SPILL_STEP_REQUEST || step == SPILL_STEP_ANSWER || step == SPILL_STEP_WRITE;
  wire seeks = command == SEARCH || command == FIND;
  wire ends = matched || passed || exhausted || finished;
  // One command is under way at a time, and stands still until it is done; so do the ends of the area and its limit, but for what the engine itself moves.
  reg busy, moved_first, moved_end;
  reg [4:0] past_command;
  reg [11:0] past_limit, past_first, past_end, past_next;
  always @(posedge clock) begin
    busy <= !reset && (enable || works) && !ends;
    past_command <= command;
    past_limit <= spill_limit;
    {moved_first, past_first} <= {first_write, spill_first};
    {moved_end, past_end} <= {end_write, spill_end};
    past_next <= next_slot;
  end
  always @(*) if (checking && (enable || works)) commands_are_known: assume (enable && (command == SPILL || command == APPEND || command == REFILL || seeks));
  always @(*) if (checking && busy) commands_hold: assume (enable && command == past_command && spill_limit == past_limit
    && spill_first == (moved_first ? past_next : past_first) && spill_end == (moved_end ? past_next : past_end));
  // A search, or a find, goes to memory only while something is spilled: of a find, the flag of its kind is set, and the window does not have it.
  always @(*) if (checking && enable && seeks) seeks_what_is_spilled: assume (spilled);
  // What a search from the back seeks is a yield token.
  always @(*) if (checking && command == SEARCH && sought) seeks_yields: assume (shown_yield);
  // The number of spilled tokens says whether there are any, and is what the engine has counted while it moves them.
  reg [12:0] told;
  always @(posedge clock) told <= count_write ? {next_spilled, next_count} : {spilled, spill_count};
  always @(*) if (checking && enable) counts_are_kept: assume (spilled == (spill_count != 0) && (!busy || {spilled, spill_count} == told));

  // 3. A request is held until it is taken, and goes to the same slot.
  reg requests, past_write;
  reg [11:0] past_slot;
  always @(posedge clock) begin
    requests <= !reset && memory_request_valid && !memory_request_ready;
    past_write <= memory_request_write;
    past_slot <= slot;
  end
  always @(*) if (checking && requests) requests_hold: assert (memory_request_valid && memory_request_write == past_write && slot == past_slot);
  // 4. Memory is asked for a token only while some are spilled (DQ-11).
  always @(*) if (checking && memory_request_valid && !memory_request_write) asks_for_what_is_there: assert (spilled && !seeks == (command == REFILL));
  // 4. A refill of an empty area ends without asking, and changes no count.
  always @(*) if (checking && step == SPILL_STEP_REQUEST && command == REFILL && !spilled) ends_with_the_area: assert (finished && !memory_request_valid && !count_write);
  // 1. A token is counted out of the area with the answer that holds it, and into it when it is written; a search counts none.
  always @(*) if (checking && count_write) counts_what_moves: assert (command == REFILL ? memory_response_valid && memory_response_ready && next_count + 12'd1 == spill_count
    : !seeks && memory_request_valid && memory_request_write && memory_request_ready && next_count == spill_count + 12'd1);
  // 5. What tells of the end of a search tells one thing, of a search alone.
  always @(*) if (checking) one_end: assert (matched + passed + exhausted + finished <= 1 && (!(matched || passed || exhausted) || seeks) && (!finished || !seeks));

  // A refill that has brought a token ends because the area is empty.
  reg brought;
  always @(posedge clock) brought <= !reset && !ends && (brought || (command == REFILL && count_write));
  emptied: cover property (checking && brought && finished && command == REFILL && !spilled && !window_write);
  // A search meets a token behind another one.
  meets: cover property (checking && matched && looked && command == SEARCH);

  // Only a token that was found stays shown behind the end of its command; each step is of its commands.
  always @(*) if (checking) helper_steps: assert (step <= SPILL_STEP_RELEASE && (!works || busy)
    && (!busy || (step == SPILL_STEP_WRITE ? past_command == SPILL || past_command == APPEND || past_command == SEARCH
      : step == SPILL_STEP_REQUEST || step == SPILL_STEP_ANSWER ? past_command != SPILL && past_command != APPEND : 1'b1)));
