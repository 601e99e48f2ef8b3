// The queue in RAM whose head is in sight (BR-35, BR-37), by itself.

  // An entry enters only while there is room, or as one leaves: the barriers of a queue differ, and it has room for all of them (BR-41).
  always @(*) if (checking) never_overfilled: assume (!enter_valid || leave_enable || !stored[$bits(stored) - 1]);
  // Only a head that is there leaves.
  always @(*) if (checking) leaves_when_there: assume (!leave_enable || head_valid);

  // 3. A count never exceeds the entries that there are (BR-35).
  always @(*) if (checking) count_in_range: assert (count <= (1 << ($bits(stored) - 1)));

  // Any one entry is watched, from when it enters until it leaves; `ahead` are those before it.
  (* anyseq *) reg watch;
  reg watching;
  reg [$bits(stored)-1:0] ahead;
  reg [$bits(passed)-1:0] watched;
  always @(posedge clock)
    if (reset) watching <= 1'b0;
    else if (!watching && watch && enter_valid) begin
      watching <= 1'b1;
      ahead <= stored - leave_enable;
      watched <= enter_data;
    end else if (watching && leave_enable) begin
      watching <= ahead != 0;
      ahead <= ahead - 1'b1;
    end

  // 1. Order is kept and nothing is lost, doubled or changed: an entry is the head when all before it have left.
  always @(*) if (checking && watching && ahead == 0) in_order: assert (head_valid && head_data == watched);
  // 2. An entry shows one cycle after it entered an empty queue.
  reg entered_empty;
  reg [$bits(passed)-1:0] entered_data;
  always @(posedge clock) begin
    entered_empty <= !reset && enter_valid && stored == {2'b00, leave_enable};
    entered_data <= enter_data;
  end
  always @(*) if (checking && entered_empty) shows_at_once: assert (head_valid && head_data == entered_data);

  // The queue is full while an entry leaves.
  full: cover property (checking && stored[$bits(stored) - 1] && leave_enable);
  // An entry passes by the memory.
  passes: cover property (checking && passing && leave_enable && enter_valid);

`ifdef SMALLEST
  (* hierconn *) wire [4*$bits(passed)-1:0] \memory_part.words ;
  wire [1:0] place = first + ahead[1:0];
  // The watched entry is one of those stored, and lies where its place in the order says.
  always @(*) if (checking && watching) helper_watched: assert (ahead < stored && \memory_part.words [place*$bits(passed)+:$bits(passed)] == watched);
  // The pointers are as far apart as the count says.
  always @(*) if (checking) helper_distance: assert (back == first + stored[1:0]);
  // What is in sight is the word at `first`.
  always @(*) if (checking && stored != 0) helper_sight: assert (head_data == \memory_part.words [first*$bits(passed)+:$bits(passed)]);
`endif
