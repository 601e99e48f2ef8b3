// The memory with an asynchronous read port.

  // Any one entry is watched: what was written last.
  (* anyconst *) reg [$bits(read_address)-1:0] watched;
  reg known;
  reg [$bits(read_data)-1:0] last;
  always @(posedge clock)
    if (!started) known <= 1'b0;
    else if (write_enable && write_address == watched) begin
      known <= 1'b1;
      last <= write_data;
    end
  // 1. A read shows, in the same cycle, what was written last before this edge.
  always @(*) if (checking && known && read_address == watched) reads_what_was_written: assert (read_data == last);

  // An entry is written again.
  again: cover property (checking && known && write_enable && write_address == watched && write_data != last);

  // The watched entry holds what was written last.
  always @(*) if (started && known) helper_entry: assert (memory[watched] == last);
