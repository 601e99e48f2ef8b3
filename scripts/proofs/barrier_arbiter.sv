// Which slot starts its thread (BR-36).

  // A slot that has a thread to start holds a barrier; a winner is granted only if there is one.
  always @(*) if (checking) schedules_what_is_there: assume ((schedulable & ~occupied) == 0);
  always @(*) if (checking) grants_a_winner: assume (!grant_enable || winner_valid);

  localparam SLOTS = $bits(occupied);
  integer i, j;
  // 3. There is a winner if anybody asks; it is one, one that asks, and the one that is named.
  always @(*) if (checking) winner_asks: assert (winner_valid == |schedulable
    && (!winner_valid || (winner_slots == (1 << winner_slot) && (winner_slots & ~schedulable) == 0)));

  // `passes`: how often a slot that asked was passed over, since it last won or was handed a barrier.
  reg [7*SLOTS-1:0] passes;
  reg [SLOTS-1:0] due;
  always @(*) for (i = 0; i < SLOTS; i = i + 1) due[i] = passes[7*i+:7] >= 64;
  always @(posedge clock)
    for (i = 0; i < SLOTS; i = i + 1)
      if (reset || !occupied[i] || (grant_enable && winner_slots[i])) passes[7*i+:7] <= 0;
      else if (grant_enable && schedulable[i]) passes[7*i+:7] <= passes[7*i+:7] + 1;
  // 2. A slot that was passed over 64 times goes first, the lowest of several.
  wire [SLOTS-1:0] first = schedulable & due & (~(schedulable & due) + 1'b1);
  always @(*) if (checking && |(schedulable & due)) starved_goes_first: assert (winner_slots == first);
  // 2. Nobody is passed over more often than 63 + SLOTS times.
  reg late;
  always @(*) begin
    late = 1'b0;
    for (i = 0; i < SLOTS; i = i + 1) if (passes[7*i+:7] > 63 + SLOTS) late = 1'b1;
  end
  always @(*) if (checking) nobody_starves: assert (!late);
  // 3. Otherwise priority decides (BR-36).
  reg outranked;
  always @(*) begin
    outranked = 1'b0;
    for (i = 0; i < SLOTS; i = i + 1)
      if (schedulable[i] && {priority_high[i], priority_low[i]} > {priority_high[winner_slot], priority_low[winner_slot]}) outranked = 1'b1;
  end
  always @(*) if (checking && winner_valid && !(|(schedulable & due))) priority_decides: assert (!outranked);
  // 1. Within a priority the turn goes round: of two grants to one slot in successive cycles, while no slot is due, the second has no other of
  // that priority asking.
  reg again;
  reg [$bits(winner_slot)-1:0] last;
  reg [1:0] last_priority;
  always @(posedge clock) begin
    again <= !reset && grant_enable && !(|(schedulable & due));
    last <= winner_slot;
    last_priority <= {priority_high[winner_slot], priority_low[winner_slot]};
  end
  reg another;
  always @(*) begin
    another = 1'b0;
    for (i = 0; i < SLOTS; i = i + 1) if (i != last && schedulable[i] && {priority_high[i], priority_low[i]} == last_priority) another = 1'b1;
  end
  always @(*) if (checking && again && winner_valid && winner_slot == last && !(|(schedulable & due))
    && {priority_high[last], priority_low[last]} == last_priority) turns_go_round: assert (!another);

  // A slot of low priority wins because it was passed over.
  low_wins: cover property (checking && |(schedulable & starved) && outranked);
  // Two slots of one priority ask.
  rivals: cover property (checking && &schedulable && priority_high == 0 && priority_low == 0 && again);

`ifdef SMALLEST
  // The seven bits of each counter say how often its slot was passed over.
  always @(*) if (checking) helper_counts: assert (
    passes == {starved[1], count_5[1], count_4[1], count_3[1], count_2[1], count_1[1], count_0[1],
               starved[0], count_5[0], count_4[0], count_3[0], count_2[0], count_1[0], count_0[0]});
  // Of two slots one at most has been passed over since the other won, and it goes first after the 64th time.
  always @(*) if (checking) helper_one_waits: assert ((passes[6:0] == 0 || passes[13:7] == 0) && passes[6:0] <= 64 && passes[13:7] <= 64);
  // After a grant the marks above the winner are those of its priority.
  always @(*) if (checking && again) helper_above: assert (
    (last_priority == 3 ? above_3 : last_priority == 2 ? above_2 : last_priority == 1 ? above_1 : above_0) == (last ? 2'b00 : 2'b10));
`endif
