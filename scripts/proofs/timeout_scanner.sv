// Which barrier is attended, and what is left of a clock (BR-13, CX-09, CX-10).

  localparam CTAS = $bits(launched), CTA_BITS = $clog2(CTAS), LOWER = $bits(write_key) - CTA_BITS;
  wire [CTA_BITS-1:0] written = write_key[$bits(write_key)-1:LOWER];
  // What was in the cycle before: the key that was asked for, who was launched; the CTA that was written while it was not launched.
  reg first;
  reg [$bits(left_key)-1:0] left_before;
  reg [CTAS-1:0] launched_before, just;
  wire [CTAS-1:0] written_one_hot = 1'b1 << written;
  wire launching = write_enable && !launched[written];
  always @(posedge clock) begin
    first <= reset;
    left_before <= left_key;
    launched_before <= reset ? {CTAS{1'b0}} : launched;
    just <= reset || !launching ? {CTAS{1'b0}} : written_one_hot;
  end
  // What is written in a cycle was asked for in the one before.
  always @(*) if (checking) written_was_asked_for: assume (first ? !write_enable : write_key == left_before);
  // A CTA is launched by the last step of a launch; no clock of it starts before.
  always @(*) if (checking) launched_by_a_step: assume ((launched & ~launched_before & ~just) == 0 && (!write_enable || !stamp || launched[written]));
  wire [CTAS-1:0] launched_there = launched, turns = first || launching ? {CTAS{1'b0}} : written_one_hot;
  // include frozen_cta

  // Any one barrier: what was written of it last; the time of its CTA, in which those cycles do not count in which that is frozen; and the deadline there.
  (* anyconst *) reg [$bits(write_key)-1:0] key;
  wire [CTA_BITS-1:0] mine = key[$bits(key)-1:LOWER];
  wire here = write_enable && write_key == key;
  reg marked, runs, waits_for, timed;
  reg [16:0] own, due;
  always @(posedge clock) begin
    if (here) begin
      marked <= 1'b1;
      {runs, waits_for} <= {clocked, pending};
    end
    // A launch leaves any lag.
    if (launching && written == mine) own <= now + 17'd1 - held_lag;
    else if (!frozen[mine]) own <= own + 17'd1;
    if (here && stamp) due <= own + {1'b0, timeout};
    timed <= launched[mine] && (timed || (here && stamp));
    if (reset) {marked, timed} <= 2'b00;
  end
  reg [$bits(attend_key)-1:0] key_before;
  reg stays, overwritten;
  always @(posedge clock) begin
    key_before <= attend_key;
    stays <= attend_valid && !attend_ready;
    overwritten <= write_enable && write_key == attend_key;
  end
  // 2. It is each barrier's turn, one a cycle; who is attended stays until it is taken.
  always @(*) if (checking && !first) takes_turns: assert (attend_key == (stays ? key_before : key_before + 1'b1));
  // 4. Whose turn it was has changed meanwhile: that is told.
  always @(*) if (checking && !first) changes_are_told: assert (stale == overwritten);

  // Its CTA, and another one, were frozen since its clock started; its deadline comes.
  reg stood, other_stood;
  always @(posedge clock) begin
    stood <= timed && (stood || frozen[mine]);
    other_stood <= timed && (other_stood || (frozen != 0 && !frozen[mine]));
  end
  late: cover property (checking && timed && runs && !waits_for && stood && attend_key == key && attend_valid);
  both: cover property (checking && timed && runs && !waits_for && stood && other_stood && attend_key == key && attend_valid);

`ifdef SMALLEST
  (* hierconn *) wire [33:0] \examined_lag.memory_part.words ;
  (* hierconn *) wire [33:0] \written_lag.memory_part.words ;
  (* hierconn *) wire [67:0] \deadline.memory_part.words ;
  (* hierconn *) wire [67:0] \saved.memory_part.words ;
  (* hierconn *) wire [7:0] \attention.memory_part.words ;
  wire [16:0] lag_here = \written_lag.memory_part.words [mine*17+:17];
  wire [16:0] lag = held && held_cta == mine ? held_lag : lag_here;
  wire there = launched[mine] || launched_before[mine] || just[mine];
  // What was read is what lies in the memories, a write of the cycle before included.
  always @(*) if (checking && !first) helper_reads: assert (attention_read_data == \attention.memory_part.words [examined*2+:2]
    && deadline_read_data == \deadline.memory_part.words [examined*17+:17] && saved_read_data == \saved.memory_part.words [left_before*17+:17]
    && examined_lag_read_data == \examined_lag.memory_part.words [examined[1]*17+:17] && written_lag_read_data == \written_lag.memory_part.words [left_before[1]*17+:17]);
  always @(*) if (checking && marked) helper_marked: assert (\attention.memory_part.words [key*2+:2] == {waits_for, runs});
  // Both memories have the same lag of a CTA that is launched or about to be, and the deadline of a clock that was started.
  always @(*) if (checking && there) helper_same_lag: assert (lag_here == \examined_lag.memory_part.words [mine*17+:17]);
  always @(*) if (checking && timed) helper_deadline: assert (launched_before[mine] && marked
    && \deadline.memory_part.words [key*17+:17] == due && \saved.memory_part.words [key*17+:17] == due);
  // The register has the lag of who was frozen, and of who may be.
  always @(*) if (checking && frozen_before != 0) helper_held: assert (held && 2'b01 << held_cta == frozen_before);
  always @(*) if (checking && turned != 0) helper_turned: assert (!held && 2'b01 << held_cta == turned && (!turned[mine] || held_lag == lag_here));
  // So its time is known, where it is written and where it is looked at.
  always @(*) if (checking && there) helper_time: assert (own == now - lag);
  always @(*) if (checking && launched[mine] && !first && written == mine) helper_written: assert (written_now == own);
  always @(*) if (checking && launched[mine] && !first && examined[1] == mine) helper_examined: assert (now + 17'd1 - lag_of_examined == own + 17'd1);
`endif

  // Its deadline is now or in the next cycle, or was some time ago.
  wire [16:0] since = own + 17'd1 - due, remains = due - own;
  // 1. In its turn a barrier is attended if its completion is held off or its deadline has come, and its CTA is launched and not frozen; and only then.
  always @(*) if (checking && marked && attend_key == key && (timed || !runs)) attended_when_due: assert (attend_valid
    == (launched[mine] && !frozen[mine] && (waits_for || (runs && !since[16]))));
  // 3. The cycles that are left are those at the start of the clock less the cycles since in which its CTA was not frozen; 0 if it has come.
  always @(*) if (checking && timed && !first && left_before == key) frozen_does_not_count: assert (left_cycles == (remains[16] ? 16'd0 : remains[15:0]));
