// Which slot's section is searched, and which thread it finds (BR-31, BR-33, BR-34).

  // A section that moves into a slot names one slot, of those that there are.
  always @(*) if (checking) one_slot: assume (!fresh_valid || fresh_slots == 1'b1 << fresh_slot);

  // 3. A section that moves in is searched first, from its first block on.
  always @(*) if (checking && fresh_valid) fresh_goes_first: assert (serve_valid && serve_slot == fresh_slot && serve_slots == fresh_slots && serve_logical == 0);
  // 3. Otherwise a slot that needs its thread is searched, where its pass has come to, if there is one.
  always @(*) if (checking && !fresh_valid) serves_who_needs: assert (serve_valid == |needing && serve_logical == present_logical
    && (serve_valid ? needing[serve_slot] && serve_slots == 1'b1 << serve_slot : serve_slots == 0));
  // 1. The thread found is of the execution mask, and the lowest: threads run in logical order (BR-31, BR-34).
  always @(*) if (checking) finds_the_lowest: assert (found == |mask && (!found || (mask[offset] && (mask & ((1'b1 << offset) - 1'b1)) == 0)));
  // 1. A pass stays at a block that has a thread, else goes on to the next, and begins anew after the last (BR-33).
  always @(*) if (checking) goes_on: assert (next_logical == (found ? serve_logical : last ? 1'b0 : serve_logical + 1'b1));
  // 1. A pass ends when the last block has nobody, not before (BR-33).
  always @(*) if (checking) ends_after_the_last: assert (pass_ends == (last && mask == 0));
  // Any slot is watched: `passed` others were searched, not counting hand-overs, while it needed its thread.
  (* anyconst *) reg [$bits(serve_slot)-1:0] watched;
  reg [$bits(needing)-1:0] served;
  wire other = !fresh_valid && serve_valid && serve_slot != watched;
  always @(posedge clock)
    if (reset || !needing[watched] || (serve_valid && serve_slot == watched)) served <= 0;
    else if (other) served <= served | serve_slots;
  // 2. A slot that needs its thread is served after each of the others was, once at most.
  always @(*) if (checking && needing[watched] && other) turns_go_round: assert ((served & serve_slots) == 0);

  // A slot waits for another.
  waits: cover property (checking && needing[watched] && other && !reset);
  // A pass ends in its second block.
  ends: cover property (checking && pass_ends && serve_logical == 1);

  // Who was served since the watched slot asked lies behind the turn, and the watched slot before it, or the turn has wrapped.
`ifdef SMALLEST
  always @(*) if (checking && served != 0) helper_turn: assert (watched ? served == 1 && above == 2 : served == 2 && above == 0);
`endif
