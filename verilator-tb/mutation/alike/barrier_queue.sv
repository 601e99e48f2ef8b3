
  // Behind the last entry, nothing counts.
  wire [31:0] all = {entries_7, entries_6, entries_5, entries_4, entries_3, entries_2, entries_1, entries_0};
  (* keep *) wire [31:0] heddle_alike_entries = all & ~(32'hffffffff << 4 * count);

`ifdef SMALLEST
  // As many wait as there are warps and slots that do, each in a place of its own: nobody enters a queue that is full.
  (* keep *) wire heddle_invariant_members = count == waiting && {1'b0, waiting} == {2'b0, warps[0]} + warps[1] + warps[2] + warps[3] + slots[0] + slots[1] + slots[2] + slots[3];
  (* keep *) wire heddle_invariant_places = apart && known;
`endif
