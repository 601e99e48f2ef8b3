// The primitive that finds the lowest bit of a mask.

  // 1. A bit is found if any is set; it is set, and the lowest.
  (* anyconst *) reg [$bits(index)-1:0] place;
  always @(*) if (checking) finds_the_lowest: assert (found == |mask && (!found || mask[index]) && (!mask[place] || place >= index));
  // 2. The mask of it has that bit and no other, none if none is set.
  always @(*) if (checking) one_hot_is_it: assert (one_hot[place] == (found && place == index));

  // The highest bit alone.
  last_alone: cover property (found && index == $bits(mask) - 1);
