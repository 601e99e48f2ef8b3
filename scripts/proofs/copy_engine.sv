// Copies a group's local memory, a word a cycle (CX-02, CX-08, CX-11).

  // `asked`, `answered`, `sent`, `carried`: words read, answered, written and acknowledged since the start, of `total`.
  reg [20:0] asked, answered, sent, carried, total;
  reg [31:0] from, to;
  reg [$bits(start_group)-1:0] whose;
  wire begins = start_valid && start_ready;
  wire asks = copy_read_valid && copy_read_ready;
  wire answers = copy_data_valid && copy_data_ready;
  wire sends = copy_write_valid && copy_write_ready;
  always @(posedge clock)
    if (reset || begins) begin
      {asked, answered, sent, carried} <= 0;
      total <= reset ? 0 : start_words;
      from <= start_from;
      to <= start_to;
      whose <= start_group;
    end else begin
      asked <= asked + asks;
      answered <= answered + answers;
      sent <= sent + sends;
      carried <= carried + copy_acknowledge_valid;
    end
  // Memories answer and acknowledge what was asked and written before, once; a group that is copied has words.
  always @(*) if (checking) memory_answers: assume ((!copy_data_valid || answered < asked) && (!copy_acknowledge_valid || carried < sent) && (!start_valid || start_words != 0));

  // 1. The n-th read is of word n of the group, the n-th write goes to word n of its new place, and there are no more than it has.
  always @(*) if (checking) words_in_order: assert ((!copy_read_valid || (copy_read_address == from + asked && asked < total))
    && (!copy_write_valid || (copy_write_address == to + sent && sent < total)));
  // 1. What is written as word n is what was read as word n.
  (* anyconst *) reg [20:0] watched;
  reg [31:0] word;
  always @(posedge clock) if (answers && answered == watched) word <= copy_data;
  always @(*) if (checking && copy_write_valid && sent == watched) word_is_unchanged: assert (copy_write_data == word);
  // 3. The end is told once the last word is acknowledged, not before, with the group and its place (CX-11).
  always @(*) if (checking) ends_when_written: assert (
    finish_valid == (copy_acknowledge_valid && carried + 1'b1 == total) && (!finish_valid || (sent == total && finish_group == whose && finish_pointer == to)));
  // 2. A request is held until it is taken.
  reg reading, writing;
  reg [31:0] past_read_address, past_write_address, past_write_data;
  always @(posedge clock) begin
    reading <= !reset && copy_read_valid && !copy_read_ready;
    writing <= !reset && copy_write_valid && !copy_write_ready;
    past_read_address <= copy_read_address;
    past_write_address <= copy_write_address;
    past_write_data <= copy_write_data;
  end
  always @(*) if (checking) requests_hold: assert ((!reading || (copy_read_valid && copy_read_address == past_read_address))
    && (!writing || (copy_write_valid && copy_write_address == past_write_address && copy_write_data == past_write_data)));
  // 4. Nothing starts while a copy is under way.
  always @(*) if (checking) one_at_a_time: assert (start_ready == (carried == total));

  // A word is asked for, one answered, one written and one acknowledged in one cycle (CX-08).
  a_word_a_cycle: cover property (checking && asks && answers && sends && copy_acknowledge_valid);
  // A copy of three words ends.
  ends: cover property (checking && finish_valid && total == 3);

  // The engine's counters count what is left.
  always @(*) if (checking) helper_left: assert (reads_left == total - asked && words_left == total - carried && answered == sent + holding
    && carried <= sent && sent <= answered && answered <= asked && asked <= total);
  // What is left, and the word in hand, are of a copy that was started since the reset.
  reg begun;
  always @(posedge clock) begun <= !reset && (begun || begins);
  always @(*) if (checking) helper_begun: assert (begun || (words_left == 0 && reads_left == 0 && !holding && total == 0));
  // Its addresses follow the counts.
  always @(*) if (checking && carried != total) helper_addresses: assert (
    read_address == from + asked && write_address == to + sent && pointer == to && group == whose);
  // The word in hand is the one to be written next.
  always @(*) if (checking && holding && sent == watched) helper_word: assert (held == word);
