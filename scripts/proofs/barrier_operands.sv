// For which threads an instruction asks the barrier scheduler, and with what of their registers (BR-10, BR-50, BR-51, SM-07).

  wire [$bits(opcode)-1:0] code = word[$bits(word)-1-:$bits(opcode)];
  wire is_top = code >= FIRST_TOP && code <= LAST_TOP, is_wait = code == WAIT_CODE, is_count = code == ANNOUNCES || code == COMPLETES;
  reg is_odd;
  integer i;
  always @(*) begin
    is_odd = 0;
    for (i = $bits(named) - 1; i >= 0; i = i - 1) if (named[i]) is_odd = parity[i];
  end

  // 1. At a top all ask that are active, whether their guard holds or not.
  always @(*) if (checking && is_top) all_at_a_top: assert (threads == active && !empty && operand == reference);
  // 2. At a WAIT, those of the parity of the first named thread; it is told.
  always @(*) if (checking && is_wait) waits_with_the_first: assert (threads == (named & (is_odd ? parity : ~parity)) && operand == is_odd && empty == (named == 0));
  // 3. At an EXPECT and a COMPLETE, the threads of odd parity, with both sums; nobody asks if both are zero.
  always @(*) if (checking && is_count) both_sums: assert (threads == (named & parity) && operand == {odd, even} && empty == (odd == 0 && even == 0));
  // 4. At all others those that are named, with the reference.
  always @(*) if (checking && !is_top && !is_wait && !is_count) else_who_is_named: assert (threads == named && operand == reference && empty == (named == 0));

  // Some of each parity count.
  of_both: cover property (is_count && odd != 0 && even != 0);
