// The primitive that counts bits.

  // The count is the sum of the bits.
  always @(*) if (checking) counts_all: assert (count == mask[0] + mask[1] + mask[2] + mask[3]);

  // All bits are set.
  full: cover property (count == 4);
