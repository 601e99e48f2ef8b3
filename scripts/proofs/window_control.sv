// Where a warp's window ends, one cycle to the next (DQ-05, DQ-06).

  // The window before, where something is done to it: its tail is not above its head, both lie in it, and an empty one lies at the mid point.
  wire done_to = push_now || place_now || pop_now || recentering || spilling || head_write || tail_write;
  localparam DEPTH = `DEPTH;
  localparam MIDDLE = DEPTH / 2;
  always @(*) if (checking && done_to) window_before: assume (tail <= head && head <= DEPTH && (head != tail || head == MIDDLE || spilling || recentering));
  // One warp is looked at: the push port's head is that of the operation.
  always @(*) if (checking) one_warp: assume (!push_now || push_head == head);
  // The hardware handler is meant: the software's sets head and tail as it likes.
  always @(*) if (checking) hardware_handles: assume (!software && !software_write);
  // What the sequencer and the push port keep: one thing at a time; a token enters where there is room and leaves where there is one.
  always @(*) if (checking) commands: assume (
    recentering + spilling + scanning <= 1 && (!deciding || !(recentering || spilling))
    && (!push_now || (from_push && head < DEPTH && !place_now && !pop_now && !recentering && !spilling))
    && (!place_now || (deciding && !from_push && (front || back) && !recentering && !spilling))
    && !(front && back) && (!front || !pop) && (!pop_only || (pop && !place_now))
    && (!place_now || !front || head < DEPTH) && (!place_now || !back || tail != 0)
    && (!pop_now || (deciding && !from_push && pop && head > tail && !recentering && !spilling && (pop_only || (place_now && back)))) && (!(place_now && pop) || pop_now));
  // What the engines keep: a window of as many tokens, within its bounds; the tail moves by one, within them.
  always @(*) if (checking) engines: assume (
    (!recenter_finished || (recentering && !from_push && recenter_tail < recenter_head && recenter_head <= DEPTH && recenter_head - recenter_tail == head - tail))
    && (!spill_tail_write || (spilling && (spill_tail_up ? tail < head : tail != 0))));

  // The pointers after this cycle, as the pointers' files take them.
  wire [$bits(head)-1:0] head_after = head_write ? (to_middle ? MIDDLE : next_head) : head;
  wire [$bits(head)-1:0] tail_after = tail_write ? (to_middle ? MIDDLE : next_tail) : tail;
  // 2. The head stays at or above the tail, and both in the window (DQ-05).
  always @(*) if (checking && done_to) stays_ordered: assert (tail_after <= head_after && head_after <= DEPTH);
  // 1. A window that an operation empties returns to the mid point (DQ-05, DQ-08).
  always @(*) if (checking && pop_now && !place_now && head - tail == 1) returns_to_the_middle: assert (head_after == MIDDLE && tail_after == MIDDLE);
  // 2. As many tokens are in the window afterwards as entered more than left.
  wire [$bits(head):0] number = head - tail;
  wire [$bits(head):0] number_after = head_after - tail_after;
  always @(*) if (checking && !spilling) counts_tokens: assert (number_after + pop_now == number + push_now + place_now);
  // 3. A token is written to an entry that holds none, next to the window.
  always @(*) if (checking && (push_now || place_now)) writes_a_free_entry: assert (write_index == (place_now && back ? tail - 1'b1 : head) && write_index < DEPTH);

  // The last token leaves a window that has moved away from the middle.
  empties: cover property (checking && last_out && tail == 6);
  // A YIELD puts a token in behind and takes one in front.
  yields: cover property (checking && place_now && pop_now && head - tail == 3);
