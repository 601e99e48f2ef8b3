// The memory with a registered read port.

  // Any one entry is watched: what was written last.
  (* anyconst *) reg [$bits(read_address)-1:0] watched;
  reg known;
  reg [$bits(read_data)-1:0] last;
  reg expected;
  reg [$bits(read_data)-1:0] value;
  always @(posedge clock) begin
    if (!started) known <= 1'b0;
    else if (write_enable && write_address == watched) begin
      known <= 1'b1;
      last <= write_data;
    end
    if (reset) expected <= 1'b0;
    else if (read_enable) begin
      expected <= started && known && read_address == watched;
      value <= last;
    end
  end
  // 1. and 2. A read shows, in the next cycle and until the next read, what was written last before it; a write in the same cycle
  // shows later.
  always @(*) if (checking && expected) reads_what_was_written: assert (read_data == value);

  // An entry is read and written in one cycle.
  both: cover property (checking && known && read_enable && write_enable && read_address == watched && write_address == watched);

  // The watched entry holds what was written last.
  always @(*) if (started && known) helper_entry: assert (memory[watched] == last);
