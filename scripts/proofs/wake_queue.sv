// Threads on their way from the barrier scheduler to the divergence engine, in sets of one warp and address (SM-07).

  // Any one warp is watched: how many sets of it wait; and how many of all.
  (* anyconst *) reg [$bits(enter_warp)-1:0] warp;
  wire [$bits(enter_mask)-1:0] wake = enter_valid && enter_ready && enter_warp == warp ? enter_mask : 0;
  wire [$bits(enter_mask)-1:0] go = leave_taken && leave_warp == warp ? leave_mask : 0;
  reg [$bits(count)-1:0] sets, of_warp;
  always @(posedge clock)
    if (reset) {sets, of_warp} <= 0;
    else {sets, of_warp} <= {sets + enters - leave_taken, of_warp + (enters && enter_warp == warp) - (leave_taken && leave_warp == warp)};
  // Nobody goes that is not shown.
  always @(*) if (checking) goes_as_shown: assume (!leave_taken || leave_valid);

  // Any one address, and any two threads of the warp: whether each waits, goes on there, and starts a section; whether the first brought a set of its own in the cycle before, that
  // may be joined; whether the second waits since before the first's set came; and whether they are in one set, if the first goes on at the address.
  (* anyconst *) reg [$bits(enter_address)-1:0] target;
  (* anyconst *) reg [`{log2(THREADS) - 1}:0] one, other;
  reg waits, other_waits, at, other_at, inside, other_inside, young, later, together;
  wire at_target = enter_address == target;
  wire stays = waits && !go[one];
  wire other_stays = other_waits && !go[other];
  always @(posedge clock) begin
    {waits, other_waits} <= reset ? 2'b00 : {wake[one] || stays, wake[other] || other_stays};
    if (wake[one]) {at, inside} <= {at_target, enter_inside};
    if (wake[other]) {other_at, other_inside} <= {at_target, enter_inside};
    young <= !reset && wake[one] && enters && !enter_alone;
    later <= !reset && other_stays && (wake[one] ? enters : stays && later);
    together <= !reset && ((wake[one] && wake[other]) || (stays && other_stays && together)
      || (!enter_inside && wake[other] && stays && !inside && at_target && at)
      || (!enter_inside && wake[one] && other_stays && !other_inside && at_target && other_at));
  end
  // Who wakes does not wait here already.
  always @(*) if (checking && enter_valid && enter_warp == warp) wakes_a_sleeper: assume (!(enter_mask[one] && waits) && !(enter_mask[other] && other_waits));

  // Which entries are of the warp, go on at the address, and have the one thread or the other, as sets come, are joined, and close the gap that one leaves.
  function [15:0] moved(input [15:0] entries, input newest);
    moved = (((entries & ~behind) | ((entries >> 1) & behind)) & ~tail) | (newest ? tail : 16'd0);
  endfunction
  reg [15:0] own, there, of_one, of_other;
  wire [15:0] joined_one = of_one | (joins && wake[one] ? host_one_hot : 16'd0), joined_other = of_other | (joins && wake[other] ? host_one_hot : 16'd0);
  always @(posedge clock)
    if (reset) {own, there, of_one, of_other} <= 0;
    else begin
      own <= moved(own, enter_warp == warp);
      there <= moved(there, at_target);
      of_one <= moved(joined_one, wake[one]);
      of_other <= moved(joined_other, wake[other]);
    end
  wire [$bits(enter_warp)-1:0] warp_at [0:15];
  wire [$bits(enter_mask)-1:0] mask_at [0:15];
  wire [$bits(enter_address)-1:0] address_at [0:15];
  assign {warp_at[15], warp_at[14], warp_at[13], warp_at[12], warp_at[11], warp_at[10], warp_at[9], warp_at[8]} = {warp_15, warp_14, warp_13, warp_12, warp_11, warp_10, warp_9, warp_8};
  assign {warp_at[7], warp_at[6], warp_at[5], warp_at[4], warp_at[3], warp_at[2], warp_at[1], warp_at[0]} = {warp_7, warp_6, warp_5, warp_4, warp_3, warp_2, warp_1, warp_0};
  assign {mask_at[15], mask_at[14], mask_at[13], mask_at[12], mask_at[11], mask_at[10], mask_at[9], mask_at[8]} = {mask_15, mask_14, mask_13, mask_12, mask_11, mask_10, mask_9, mask_8};
  assign {mask_at[7], mask_at[6], mask_at[5], mask_at[4], mask_at[3], mask_at[2], mask_at[1], mask_at[0]} = {mask_7, mask_6, mask_5, mask_4, mask_3, mask_2, mask_1, mask_0};
  assign {address_at[15], address_at[14], address_at[13], address_at[12], address_at[11], address_at[10], address_at[9], address_at[8]} =
    {address_15, address_14, address_13, address_12, address_11, address_10, address_9, address_8};
  assign {address_at[7], address_at[6], address_at[5], address_at[4], address_at[3], address_at[2], address_at[1], address_at[0]} =
    {address_7, address_6, address_5, address_4, address_3, address_2, address_1, address_0};
  reg of_warps, of_ones, of_others;
  reg [15:0] of_address;
  wire [15:0] joinable = own & there & ~starts & present;
  reg [$bits(count)-1:0] number;
  integer i;
  always @(*) begin
    {of_warps, of_ones, of_others} = 3'b111;
    of_address = 16'hffff;
    number = 0;
    for (i = 0; i < 16; i = i + 1) begin
      number = number + own[i];
      if (present[i]) begin
        if (own[i] != (warp_at[i] == warp)) of_warps = 1'b0;
        if (of_one[i] != (own[i] && mask_at[i][one])) of_ones = 1'b0;
        if (of_other[i] != (own[i] && mask_at[i][other])) of_others = 1'b0;
        if (there[i] != (address_at[i] == target)) of_address[i] = 1'b0;
      end
    end
  end
  // The entries are the sets that wait, the newest the last.
  always @(*) if (checking) helper_count: assert (count == sets && count <= 16 && (fresh == 0 || (count != 0 && fresh == 16'd1 << (count - 1'b1))));
  // They are whose they should be, and beyond the last there are none.
  always @(*) if (checking) helper_own: assert (of_warps && ((own | of_one | of_other) & ~present) == 0);
  always @(*) if (checking) helper_of_warp: assert (of_warp == number);
  // What is told of an entry's address is so, and whoever goes on at an entry's does if it does; an entry each, since yices decides any of these in a second, and not all at once in minutes.
  always @(*) if (checking) helper_there_0: assert (of_address[0] && (!(same_result[0] && present[0]) || there[0] == at_target));
  always @(*) if (checking) helper_there_1: assert (of_address[1] && (!(same_result[1] && present[1]) || there[1] == at_target));
  always @(*) if (checking) helper_there_2: assert (of_address[2] && (!(same_result[2] && present[2]) || there[2] == at_target));
  always @(*) if (checking) helper_there_3: assert (of_address[3] && (!(same_result[3] && present[3]) || there[3] == at_target));
  always @(*) if (checking) helper_there_4: assert (of_address[4] && (!(same_result[4] && present[4]) || there[4] == at_target));
  always @(*) if (checking) helper_there_5: assert (of_address[5] && (!(same_result[5] && present[5]) || there[5] == at_target));
  always @(*) if (checking) helper_there_6: assert (of_address[6] && (!(same_result[6] && present[6]) || there[6] == at_target));
  always @(*) if (checking) helper_there_7: assert (of_address[7] && (!(same_result[7] && present[7]) || there[7] == at_target));
  always @(*) if (checking) helper_there_8: assert (of_address[8] && (!(same_result[8] && present[8]) || there[8] == at_target));
  always @(*) if (checking) helper_there_9: assert (of_address[9] && (!(same_result[9] && present[9]) || there[9] == at_target));
  always @(*) if (checking) helper_there_10: assert (of_address[10] && (!(same_result[10] && present[10]) || there[10] == at_target));
  always @(*) if (checking) helper_there_11: assert (of_address[11] && (!(same_result[11] && present[11]) || there[11] == at_target));
  always @(*) if (checking) helper_there_12: assert (of_address[12] && (!(same_result[12] && present[12]) || there[12] == at_target));
  always @(*) if (checking) helper_there_13: assert (of_address[13] && (!(same_result[13] && present[13]) || there[13] == at_target));
  always @(*) if (checking) helper_there_14: assert (of_address[14] && (!(same_result[14] && present[14]) || there[14] == at_target));
  always @(*) if (checking) helper_there_15: assert (of_address[15] && (!(same_result[15] && present[15]) || there[15] == at_target));
  always @(*) if (checking) helper_of_one: assert (of_ones);
  always @(*) if (checking) helper_of_other: assert (of_others);
  // Each of the two is in one entry, if it waits, with its address.
  always @(*) if (checking) helper_once: assert (|of_one == waits && (of_one & (of_one - 1'b1)) == 0 && |of_other == other_waits && (of_other & (of_other - 1'b1)) == 0);
  always @(*) if (checking) helper_address: assert ((of_one & (there ^ {16{at}})) == 0);
  always @(*) if (checking) helper_other_address: assert ((of_other & (there ^ {16{other_at}})) == 0);
  // What is known of the two is true of their entries.
  always @(*) if (checking) helper_starts: assert ((!waits || |(of_one & starts) == inside) && (!other_waits || |(of_other & starts) == other_inside));
  always @(*) if (checking && waits) helper_young: assert (|(of_one & fresh) == young);
  always @(*) if (checking && waits && other_waits) helper_order: assert ((!at || together == (of_one == of_other)) && (!later || of_other < of_one));
  // Of the sets at one address, one at most may be joined.
  always @(*) if (checking) helper_joinable: assert ((joinable & (joinable - 1'b1)) == 0);

  // 1. Of one warp, a set goes when those have gone that came before.
  always @(*) if (checking && go[one]) first_come_first_go: assert (!later);
  // 2. Nobody goes whose warp has answers to carry out.
  always @(*) if (checking && leave_valid) answers_come_first: assert (!blocked[leave_warp]);
  // 2. While anybody waits whose warp has none, somebody may go, from the second cycle after they came, or from the first if they came alone.
  always @(*) if (checking && waits && !young && !blocked[warp]) goes_when_it_may: assert (leave_valid);
  // 3. Threads that wake at one address are one set, unless one of them starts a section; of others, each goes by itself.
  always @(*) if (checking && at && (go[one] || go[other])) goes_together: assert (together == (go[one] && go[other]));
  // 4. Who goes has come, goes once, and where it was to.
  always @(*) if (checking) goes_once: assert (!go[one] || (waits && at == (leave_address == target)));
  // 4. It is told of which warps sets wait, as long as the thread does of its own, and whether none does: nobody is left behind.
  always @(*) if (checking) tells_who_waits: assert (waiting[warp] == (of_warp != 0) && empty == (sets == 0) && (!waits || waiting[warp]));
  // 5. There is room for a set unless 16 wait, and for another when one of these goes.
  always @(*) if (checking) there_is_room: assert (sets <= 16 && enter_ready == (sets != 16 || leave_taken));

  // Sixteen sets wait, those of the first thread and of the second among them.
  full: cover property (checking && later && waits && sets == 16);
`ifdef GUIDED
  always @(*) if (checking) sets_come: assume (enter_valid && enter_inside && &blocked);
`endif
  // A set of two wake-ups goes, which has passed that of a warp that is blocked.
  passes: cover property (checking && go[one] && together && !first_one_hot[0]);
