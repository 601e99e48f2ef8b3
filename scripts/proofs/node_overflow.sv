// The nodes of a tree that lie in memory, one of which is held in registers (TD-09).

  // One warp, which is launched before anything else is asked, and only when nothing is under way.
  always @(*) if (checking) one_warp: assume (!warp);
  reg began;
  always @(posedge clock) began <= !reset && (began || clear_enable);
  wire used = wanted_enable || prepare_enable || write_enable || vacate_enable;
  always @(*) if (checking) starts_with_a_launch: assume ((began || !used) && (!clear_enable || (!used && state == OVERFLOW_STATE_REST && !blank)));
  // A node is looked for when there is one, written when it is there, or room for it is, and given back when it is there. Room is for a node that is opened next.
  always @(*) if (checking) asks_for_what_there_is: assume ((held || !wanted_enable) && (!blank || !wanted_enable) && (!write_enable || prepared || shown)
    && (!vacate_enable || shown) && !(prepare_enable && (wanted_enable || write_enable || vacate_enable)));
  // While one is fetched it is still what is asked for, and not the one that is there.
  reg past_wanted, past_prepare;
  reg [11:0] past_slot;
  always @(posedge clock) {past_wanted, past_prepare, past_slot} <= {wanted_enable, prepare_enable, wanted_slot};
  always @(*) if (checking && state != OVERFLOW_STATE_REST) waits_for_it: assume ((wanted_enable ? past_wanted && wanted_slot == past_slot && wanted_slot != held_slot : past_prepare)
    && prepare_enable == !wanted_enable);

  // 1. A node is shown when it is the one that is wanted, and nothing is fetched.
  always @(*) if (checking && shown) shows_what_is_wanted: assert (wanted_enable && held && !blank && held_slot == wanted_slot && state == OVERFLOW_STATE_REST);
  // 2. What was changed is written to memory before another takes its place.
  always @(*) if (checking && (state == OVERFLOW_STATE_READ || state == OVERFLOW_STATE_ANSWER || enlarges)) nothing_is_lost: assert (!changed);
  // 3. A slot that was never used lies at the mark, which goes on to the next, and within what there is.
  reg enlarged;
  reg [11:0] past_mark, past_limit;
  always @(posedge clock) {enlarged, past_mark, past_limit} <= {!reset && enlarges, marks_read_data, limit};
  always @(*) if (checking && enlarged) new_slots_lie_at_the_mark: assert (prepared && slot == past_mark && past_mark < past_limit && marks_read_data == past_mark + 1'b1);
  // 4. A request to memory stays until it is taken.
  reg asking, past_write;
  reg [11:0] past_asked;
  always @(posedge clock) {asking, past_write, past_asked} <= {!reset && memory_request_valid && !memory_request_ready, memory_request_write, memory_request_slot};
  always @(*) if (checking && asking) requests_stay: assert (memory_request_valid && {memory_request_write, memory_request_slot} == {past_write, past_asked});
  // 5. Until room was made once nothing is held, and no slot was given back.
  always @(*) if (checking && began && !held) none_is_there_before: assert (!vacated_read_data[13] && !blank && !changed && state == OVERFLOW_STATE_REST);

  // A slot that was given back is used again.
  used_again: cover property (checking && unlinks);
  reg gone, came;
  always @(posedge clock) {gone, came} <= {!reset && (gone || (state == OVERFLOW_STATE_FLUSH && memory_request_ready)), gone && state == OVERFLOW_STATE_ANSWER && memory_response_valid};
  // What was changed goes to memory, and another comes.
  fetched: cover property (checking && came && shown);

  // One warp; what is blank is held, and nothing is fetched.
  always @(*) if (checking) helper_states: assert (!held_warp && !next_warp && (began || (!held && !blank && !changed && state == OVERFLOW_STATE_REST)) && (!blank || (held && state == OVERFLOW_STATE_REST)));
