// Moves a window's tokens back to its middle (DQ-10).

  // The window as it was when the front or the back met its bound; it is not empty, and stands still while the engine is enabled.
  reg moving;
  reg front;
  reg [$bits(head)-1:0] from_head, from_tail, moved, cycles;
  always @(posedge clock)
    if (reset) moving <= 1'b0;
    else if (start) begin
      moving <= 1'b1;
      front <= at_front;
      from_head <= head;
      from_tail <= tail;
      moved <= 0;
      cycles <= 0;
    end else if (moving) begin
      moved <= moved + write_enable;
      cycles <= cycles + 1'b1;
      if (finished) moving <= 1'b0;
    end
  always @(*) if (checking) starts_at_a_bound: assume (!start || (!moving && head <= DEPTH && tail < head && (at_front ? head == DEPTH && tail != 0 : tail == 0 && head != DEPTH)));
  always @(*) if (checking) stands_still: assume (enable == moving && (!moving || (at_front == front && head == from_head && tail == from_tail)));
  // The window control shows the entry that was read: upwards from the tail if the front met its bound, else downwards from the front.
  wire [$bits(head)-1:0] next = front ? from_tail + moved : from_head - 1'b1 - moved;
  always @(*) if (checking) shows_what_was_read: assume (!(moving && write_enable) || position == next);

  // Where the window's tail will be.
  wire [$bits(head)-1:0] free = DEPTH - (from_head - from_tail);
  wire [$bits(head)-1:0] new_tail_at = front ? free >> 1 : (free + 1'b1) >> 1;
  // 1. Every token is written once, in order, to where it belongs in the new window.
  always @(*) if (checking && moving && write_enable) each_token_moves: assert (
    moved < from_head - from_tail && write_index == (front ? new_tail_at + moved : new_tail_at + (from_head - from_tail) - 1'b1 - moved));
  // 3. The engine ends with the last token, not before, and not with fewer or more than there were.
  always @(*) if (checking && moving) ends_with_the_last: assert (finished == (write_enable && moved + 1'b1 == from_head - from_tail)
    && (!finished || new_head - new_tail == from_head - from_tail));
  // 2. The free space before and behind the tokens differs by at most one entry afterwards (DQ-10).
  wire [$bits(head)-1:0] above = DEPTH - new_head;
  always @(*) if (checking && moving && finished) centred: assert (new_head <= DEPTH && (above == new_tail || above == new_tail + 1'b1 || above + 1'b1 == new_tail));
  // 3. n tokens take 2n cycles after the one of the exception (DQ-10: at most 2n + 4).
  always @(*) if (checking && moving) in_time: assert (cycles == {moved, 1'b0} + writing && (!finished || cycles + 1'b1 == {from_head - from_tail, 1'b0}));

  // A window that lacks one token to be full is moved by one.
  by_one: cover property (checking && moving && finished && from_head - from_tail == DEPTH - 1);
  // Tokens move up.
  upwards: cover property (checking && moving && finished && !front && moved == 2);

  // What is written next, and where.
  always @(*) if (checking && moving) helper_target: assert (moved < from_head - from_tail && from_head <= DEPTH && from_tail < from_head
    && (front ? from_head == DEPTH && from_tail != 0 : from_tail == 0 && from_head != DEPTH)
    && target == (front ? new_tail_at + moved : new_tail_at + (from_head - from_tail) - 1'b1 - moved));
  // Between two moves nothing is being written.
  always @(*) if (checking && !moving) helper_rests: assert (!writing);
