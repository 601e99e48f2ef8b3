// Where groups lie: a row for each, bound to a hardware slot while it runs (CX-01 to CX-04, CX-07).

  // Copies end, and rows are freed, of groups that have one; not both at once.
  always @(*) if (checking) works_on_rows: assume ((!remap_valid || used[remap_group]) && (!clear_valid || used[work_group]) && !(remap_valid && clear_valid));

  // Any one group is watched: where it lies as its launch or its copy said, and how long it is.
  (* anyconst *) reg [$bits(work_group)-1:0] watched;
  reg [31:0] place;
  reg [15:0] limit;
  reg saved, present;
  wire launches = bind_valid && bind_ready && bind_fresh && !used[bind_group] && !occupied[bind_slot];
  always @(posedge clock)
    if (reset) begin
      saved <= 1'b0;
      present <= 1'b0;
    end else begin
      if (launches && bind_group == watched) begin
        place <= bind_base;
        limit <= bind_limit;
        present <= 1'b1;
      end
      if (remap_valid && remap_group == watched) begin
        place <= remap_pointer;
        saved <= 1'b1;
      end
      if (clear_valid && work_group == watched) begin
        saved <= 1'b0;
        present <= 1'b0;
      end
    end
  // 1. A bit that is set has the pointer of the copy that set it (CX-01, CX-11).
  always @(*) if (checking && row_group == watched) bit_implies_pointer: assert (row_remapped == saved && (!row_remapped || row_pointer == place));
  // 5. A look-up of a slot tells where its group lies, and its limit (CX-03, CX-04).
  always @(*) if (checking && lookup_bound && lookup_group == watched) looks_up_the_truth: assert (
    present && lookup_remapped == saved && lookup_origin == place && lookup_limit == limit);
  // 2. Only a group that has a row is re-mapped or runs (CX-07).
  always @(*) if (checking) rows_are_used: assert (((remapped | running) & ~used) == 0);
  // 2. The group in a slot is one that runs (CX-01).
  (* anyconst *) reg [$bits(bind_slot)-1:0] slot;
  always @(*) if (checking && lookup_slot == slot && lookup_bound) one_slot_a_group: assert (running[lookup_group]);
  // 3. After a launch or resume that makes no sense no further group has a row or runs, and it is reported in the next cycle.
  reg nonsense;
  reg [$bits(used)-1:0] past_used, past_running;
  always @(posedge clock) begin
    nonsense <= !reset && bind_valid && bind_ready && (occupied[bind_slot] || (bind_fresh ? used[bind_group] : !remapped[bind_group] || running[bind_group]));
    past_used <= used;
    past_running <= running;
  end
  always @(*) if (checking) nonsense_is_refused: assert (bind_error == nonsense && (!nonsense || ((used & ~past_used) | (running & ~past_running)) == 0));

  // Where the watched group was launched, and whether its row was freed.
  reg [$bits(bind_slot)-1:0] launched_in;
  reg freed;
  always @(posedge clock) begin
    if (launches && bind_group == watched) launched_in <= bind_slot;
    freed <= !reset && (freed || (present && clear_valid && work_group == watched));
  end
  // A group is resumed in another slot and its accesses follow the pointer.
  resumed: cover property (checking && lookup_bound && lookup_group == watched && lookup_remapped && lookup_slot != launched_in);
  // A row is freed and used again.
  again: cover property (checking && freed && launches && bind_group == watched);

`ifdef SMALLEST
  (* hierconn *) wire [7:0] \group_looked_up.words ;
  (* hierconn *) wire [7:0] \group_released.words ;
  (* hierconn *) wire [7:0] \slot_of.words ;
  (* hierconn *) wire [127:0] \origin_looked_up.words ;
  (* hierconn *) wire [127:0] \origin_shown.words ;
  (* hierconn *) wire [63:0] \limit_looked_up.words ;
  (* hierconn *) wire [63:0] \limit_shown.words ;
  wire [1:0] its_slot = \slot_of.words [watched*2+:2];
  wire [1:0] its_group = \group_looked_up.words [slot*2+:2];
  // The watched row says what launch and copy said, in each copy of the table.
  always @(*) if (checking) helper_row: assert (used[watched] == present && remapped[watched] == saved && (!present || (
    \origin_looked_up.words [watched*32+:32] == place && \origin_shown.words [watched*32+:32] == place
    && \limit_looked_up.words [watched*16+:16] == limit && \limit_shown.words [watched*16+:16] == limit)));
  // A running group is the one of its slot; so is the group of any slot that is occupied.
  integer i;
  reg matched;
  always @(*) begin
    matched = 1'b1;
    for (i = 0; i < 4; i = i + 1) begin
      if (occupied[i] && \group_looked_up.words [2*i+:2] != \group_released.words [2*i+:2]) matched = 1'b0;
      if (running[i] && !(occupied[\slot_of.words [2*i+:2]] && \group_looked_up.words [2*\slot_of.words [2*i+:2]+:2] == i)) matched = 1'b0;
      if (occupied[i] && !(running[\group_looked_up.words [2*i+:2]] && \slot_of.words [2*\group_looked_up.words [2*i+:2]+:2] == i)) matched = 1'b0;
    end
  end
  always @(*) if (checking) helper_slots: assert (matched);
`endif
