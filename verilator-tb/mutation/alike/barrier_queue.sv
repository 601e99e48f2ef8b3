
  // Behind the last entry, nothing counts.
  wire [31:0] all = {entries_7, entries_6, entries_5, entries_4, entries_3, entries_2, entries_1, entries_0};
  (* keep *) wire [31:0] heddle_alike_entries = all & ~(32'hffffffff << 4 * count);
