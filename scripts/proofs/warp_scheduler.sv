// Which warp issues (SM-02), whatever is launched and issues between.

  // A warp that is launched does not race, nor issue, in that cycle: it is not there yet.
  always @(*) if (checking) launched_is_new: assume (!launched || (!racing[launched_warp] && !(issued && issued_warp == launched_warp)));
  // Who issues was chosen in this cycle, or in an earlier one since something issued and was refused then.
  reg [$bits(racing)-1:0] chosen_since;
  wire [$bits(racing)-1:0] new_warp = launched << launched_warp;
  always @(posedge clock) chosen_since <= reset || issued ? 0 : (chosen_since | found << warp) & ~new_warp;
  always @(*) if (checking && issued) issues_as_chosen: assume ((found && issued_warp == warp) || chosen_since[issued_warp]);

  // The priorities that were given, and any two warps: which of them was launched last.
  localparam COUNT = $bits(racing);
  reg [$bits(launched_priority)-1:0] given [0:COUNT-1];
  (* anyconst *) reg [$bits(warp)-1:0] one, other;
  reg one_there, other_there, other_newer;
  integer i;
  always @(posedge clock)
    if (reset) begin
      {one_there, other_there, other_newer} <= 0;
      for (i = 0; i < COUNT; i = i + 1) given[i] <= 0;
    end else if (launched) begin
      given[launched_warp] <= launched_priority;
      if (launched_warp == one) {one_there, other_newer} <= 2'b10;
      if (launched_warp == other) {other_there, other_newer} <= 2'b11;
    end
  wire rivals = one != other && given[one] == given[other];

  // 1. If any warp is racing, one that races is chosen.
  always @(*) if (checking) chosen_races: assert (found == |racing && (!found || racing[warp]));
  // 4. No warp is chosen while one of a higher priority is racing.
  always @(*) if (checking && found && racing[other]) none_above: assert (given[other] <= given[warp]);

  // Whether the watched warp issued last of those of its priority.
  reg latest;
  always @(posedge clock)
    if (reset || (launched && launched_warp == one)) latest <= 1'b0;
    else if (issued && given[issued_warp] == given[one]) latest <= issued_warp == one;
  reg above;
  always @(*) begin
    above = 1'b0;
    for (i = 0; i < COUNT; i = i + 1) if (racing[i] && given[i] > given[one]) above = 1'b1;
  end
  // 3. Greedy: who issued last goes on while it can.
  always @(*) if (checking && greedy && racing[one] && !above && latest) goes_on: assert (warp == one);
  // 3. Greedy: otherwise the oldest goes, and of two warps that were launched one is the older.
  always @(*) if (checking && greedy && found && warp == one && racing[other] && rivals && !latest && one_there && other_there)
    oldest_goes: assert (other_newer);
  // 5. Of the warps of a priority, at most one issued last.
  always @(*) if (checking && rivals) one_issued_last: assert (!(recent[one] && recent[other]));
  // 2. By turns, while the watched warp stays ready no other of its priority is chosen again that has issued since: it waits for at most one issue of each. A
  // launch in the place of the warp that issued last begins a new round.
  wire restarts = launched && recent[launched_warp] && given[launched_warp] == given[one];
  reg went;
  always @(posedge clock)
    if (reset || greedy || !racing[one] || restarts || (launched && launched_warp == other) || (issued && issued_warp == one)) went <= 1'b0;
    else if (issued && issued_warp == other && rivals) went <= 1'b1;
  always @(*) if (checking && !greedy && racing[one] && found && went && !restarts) turns_go_round: assert (warp != other);

  // A warp waits while another of its priority issues, and then one of a lower number goes first.
  waits: cover property (checking && !greedy && racing[one] && went && found && warp < one && given[warp] == given[one]);
  // The oldest goes though another of a lower number is racing.
  overtakes: cover property (checking && greedy && found && warp == one && racing[other] && rivals && one > other && !latest && one_there && other_there);

  // What the registers hold: the priorities given, who is above whom; by turns, who issued in this round, those of the lowest numbers first; a strict order of age.
`ifdef SMALLEST
  wire [5:0] priority_of [0:3];
  wire [3:0] above_of [0:3], older_of [0:3];
  assign priority_of[0] = priorities_0, priority_of[1] = priorities_1, priority_of[2] = priorities_2, priority_of[3] = priorities_3;
  assign above_of[0] = above_0, above_of[1] = above_1, above_of[2] = above_2, above_of[3] = above_3;
  assign older_of[0] = older_0, older_of[1] = older_1, older_of[2] = older_2, older_of[3] = older_3;
  reg levels_differ, rounds_differ, ages_differ;
  integer j, k;
  always @(*) begin
    {levels_differ, rounds_differ, ages_differ} = 0;
    for (i = 0; i < 4; i = i + 1) begin
      if (priority_of[i] != given[i]) levels_differ = 1'b1;
      if (older_of[i][i]) ages_differ = 1'b1;
      for (j = 0; j < 4; j = j + 1) begin
        if (above_of[i][j] != (given[j] > given[i])) levels_differ = 1'b1;
        if (i < j && given[i] == given[j] && ((served[j] && !served[i]) || (recent[i] && recent[j]))) rounds_differ = 1'b1;
        for (k = 0; k < 4; k = k + 1) if (older_of[i][j] && older_of[j][k] && !older_of[i][k]) ages_differ = 1'b1;
      end
    end
  end
  always @(*) if (checking) helper_levels: assert (!levels_differ);
  always @(*) if (checking) helper_rounds: assert (!rounds_differ);
  always @(*) if (checking) helper_ages: assert (!ages_differ && (!(one_there && other_there && one != other) || (older_of[one][other] == !other_newer && older_of[other][one] == other_newer)));
  always @(*) if (checking) helper_latest: assert (latest == recent[one]);
  // While the watched warp waits for its turn, the other issued in this round, or the next one has begun, which comes to the watched warp first.
  wire in_this_round = served[one];
  reg out_of_turn;
  always @(*) begin
    out_of_turn = 1'b0;
    for (i = 0; i < 4; i = i + 1) if (chosen_since[i] && i != one && given[i] == given[one]
      && !((i < one || (other > one && in_this_round)) && (!served[i] || (i < one && in_this_round)))) out_of_turn = 1'b1;
  end
  always @(*) if (checking && went) helper_turns: assert (rivals && !out_of_turn && (other < one ? served[other] && !in_this_round : !in_this_round || served[other]));
`endif
