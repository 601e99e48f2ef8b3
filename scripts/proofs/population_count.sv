// The primitive that counts bits.

  // 1. The count is the sum of the bits.
  reg [$bits(count)-1:0] sum;
  integer i;
  always @(*) begin
    sum = 0;
    for (i = 0; i < $bits(mask); i = i + 1) sum = sum + mask[i];
  end
  always @(*) if (checking) counts_all: assert (count == sum);

  // All bits are set.
  full: cover property (count == $bits(mask));
