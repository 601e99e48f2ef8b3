// The lowest flag of a word of 64 (WD-02).

  // Any one position of the word.
  (* anyconst *) reg [5:0] place;

  // 2. The flag found is set, and none below it is.
  always @(*) if (checking && found) lowest: assert (flags[index] && (!flags[place] || place >= index));
  // 2. A flag is found if any is set.
  always @(*) if (checking) finds: assert (found == |flags);
  // 1. The rest is the word without that flag, and whether there is more is told of it.
  always @(*) if (checking && found) leaves_the_rest: assert (rest[place] == (flags[place] && place != index) && more == |rest);

  // The highest flag alone.
  last_alone: cover property (flags == 64'h8000000000000000 && index == 63);
