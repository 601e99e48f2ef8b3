// The lowest flag of a word of 64 (WD-02).

  // The flag found is set, and none below it is.
  always @(*) if (checking && found) lowest: assert (flags[index] && (flags & ((64'd1 << index) - 64'd1)) == 0);
  // A flag is found if any is set.
  always @(*) if (checking) finds: assert (found == |flags);
  // 1. The rest is the word without that flag, and whether there is more is told of it.
  always @(*) if (checking) leaves_the_rest: assert (rest == (flags & (flags - 64'd1)) && more == |rest);

  // The highest flag alone.
  last_alone: cover property (flags == 64'h8000000000000000 && index == 63);
