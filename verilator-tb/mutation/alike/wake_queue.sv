
  // Behind the last set, nothing counts; of a set, all does.
  localparam SET = $bits(warp_0) + $bits(mask_0) + $bits(address_0) + 1;
  reg [16*SET-1:0] all_sets;
  integer place;
  always @(*)
    for (place = 0; place < 16; place = place + 1)
      all_sets[place*SET+:SET] = present[place] ? {starts[place], warp_at[place], mask_at[place], address_at[place]} : 0;
  (* keep *) wire [16*SET-1:0] heddle_alike_sets = all_sets;

  // As many wait as there are places, at most.
  (* keep *) wire heddle_invariant_count = count <= 16;
  // Where no set waits, none starts a section.
  (* keep *) wire heddle_invariant_starts = (starts & ~present) == 0;
