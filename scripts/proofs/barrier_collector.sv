// One barrier across cores (BR-52).

  // The request that is answered in this cycle, and any one barrier, as the accepted requests tell: what each core has given to this phase,
  // what has exited, the sum of both, who owes the acknowledgement of the last release. An exit brings a core's whole share, in place of what it gave.
  (* anyconst *) reg [$bits(request_id)-1:0] watched;
  reg [1:0] asked;
  reg [$bits(request_id)-1:0] of_id;
  reg [$bits(request_core)-1:0] by_core;
  reg in_phase;
  reg [15:0] amount;
  always @(posedge clock) {asked, of_id, by_core, in_phase, amount} <= {request_operation, request_id, request_core, request_phase, request_count};
  reg configured, present_phase;
  reg [15:0] wanted;
  localparam CORES = `CORES;
`ifdef SMALLEST
  reg [17:0] given_0, given_1;
  wire [17:0] given_0_now = asked == 1 && !by_core ? given_0 + amount : asked == 3 && !by_core ? 0 : given_0;
  wire [17:0] given_1_now = asked == 1 && by_core ? given_1 + amount : asked == 3 && by_core ? 0 : given_1;
  wire [17:0] given_by = by_core ? given_1 : given_0;
  always @(posedge clock)
    if (taken && asked == 0) {given_0, given_1} <= 36'd0;
    else if (taken) {given_0, given_1} <= released ? 36'd0 : {given_0_now, given_1_now};
`else
  reg [18*CORES-1:0] given;
  wire [17:0] given_by = given[18*by_core+:18];
  always @(posedge clock)
    if (taken && (asked == 0 || released)) given <= 0;
    else if (taken && asked[0]) given[18*by_core+:18] <= asked[1] ? 18'd0 : given_by + amount;
`endif
  reg [17:0] gone_all, total;
  reg [CORES-1:0] here, owed, left;
  wire taken = response_valid && !response_error && !response_stale && of_id == watched;
  wire released = release_valid && release_id == watched;
  wire [CORES-1:0] who = 1 << by_core;
  wire [CORES-1:0] here_now = asked == 1 ? here | who : asked == 3 ? here & ~who : here;
  wire [CORES-1:0] owed_now = asked[1] ? owed & ~who : owed;
  wire [17:0] gone_now = asked == 3 ? gone_all + amount : gone_all;
  wire [17:0] more = asked == 1 ? amount : asked == 3 ? amount - given_by : 0;
  wire [17:0] total_now = total + more;
  always @(posedge clock)
    if (reset) configured <= 1'b0;
    else if (taken && asked == 0) begin
      configured <= 1'b1;
      wanted <= amount;
      {here, owed, left, present_phase, gone_all, total} <= 0;
    end else if (taken) begin
      {here, owed, present_phase} <= released ? {{CORES{1'b0}}, here_now, !present_phase} : {here_now, owed_now, present_phase};
      gone_all <= gone_now;
      total <= released ? gone_now : total_now;
      if (asked == 3) left <= left | who;
    end

  // 1. A phase is released when what was given to it and what has exited make the number expected.
  always @(*) if (checking && released) release_has_its_count: assert (total_now == wanted);
  // 1. Somebody waits then, and it is released to all who arrived.
  always @(*) if (checking && released) release_is_for_who_waits: assert (taken && configured && asked != 0 && here_now != 0 && release_cores == here_now
    && release_phase == present_phase);
  // 1. It is released as soon as that is so, and no core owes an acknowledgement: no request leaves it waiting.
  always @(*) if (checking && taken && asked != 0 && !released) complete_is_released: assert (here_now == 0 || owed_now != 0
    || total_now != wanted);
  // 2. After a release none follows before all its cores have acknowledged it or exited.
  always @(*) if (checking && released) acknowledged_before: assert (owed_now == 0);
  // 3. Counts of a phase are at most the expected number.
  always @(*) if (checking && configured) never_too_many: assert (total <= wanted);
  // 4. A stale phase, an unknown barrier, a core that has exited, and a Configure of a barrier in use are refused.
  always @(*) if (checking && taken) nonsense_is_refused: assert (asked == 0 ? !configured || (here == 0 && owed == 0)
    : configured && (left & who) == 0 && (asked != 1 || in_phase == present_phase) && (asked != 2 || (in_phase != present_phase && (owed & who) != 0)));

  // A second phase is released to all cores.
  second: cover property (checking && released && present_phase && &release_cores);
  // A phase is completed by the exit of a core.
  by_exit: cover property (checking && released && asked == 3);

`ifdef SMALLEST
  reg [17:0] without_1;
  wire [17:0] without_1_now = by_core ? asked == 3 ? without_1 + amount : without_1 : without_1 + more;
  always @(posedge clock)
    if (taken && asked == 0) without_1 <= 0;
    else if (taken) without_1 <= released ? gone_now : without_1_now;
  (* hierconn *) wire [255:0] \shares.memory_part.words ;
  (* hierconn *) wire [127:0] \expected.memory_part.words ;
  (* hierconn *) wire [127:0] \sums.memory_part.words ;
  (* hierconn *) wire [127:0] \gone.memory_part.words ;
  (* hierconn *) wire [15:0] \arrived.memory_part.words ;
  (* hierconn *) wire [15:0] \owing.memory_part.words ;
  (* hierconn *) wire [15:0] \exited.memory_part.words ;
  // The request stage holds what was asked, and sees what lies in the memories, a write of the cycle before included.
  always @(*) if (checking) helper_reads: assert (!full || (operation == asked && id == of_id && core == by_core && phase == in_phase && count == amount
    && shares_read_data == \shares.memory_part.words [{id, core}*16+:16] && expected_read_data == \expected.memory_part.words [id*16+:16]
    && sums_read_data == \sums.memory_part.words [id*16+:16] && gone_read_data == \gone.memory_part.words [id*16+:16]
    && arrived_read_data == \arrived.memory_part.words [id*2+:2] && owing_read_data == \owing.memory_part.words [id*2+:2]
    && exited_read_data == \exited.memory_part.words [id*2+:2]));
  // What lies there is what the accepted requests tell.
  always @(*) if (checking) helper_known: assert (known[watched] == configured);
  always @(*) if (checking && configured) helper_memory: assert (phases[watched] == present_phase
    && \arrived.memory_part.words [watched*2+:2] == here && \owing.memory_part.words [watched*2+:2] == owed && \exited.memory_part.words [watched*2+:2] == left);
  // Of every barrier that is known: who has exited does not wait, nor owe anything; what exits have brought comes from somebody.
  integer i;
  reg settled;
  always @(*) begin
    settled = 1'b1;
    for (i = 0; i < 8; i = i + 1)
      if (known[i] && ((\exited.memory_part.words [i*2+:2] & (\arrived.memory_part.words [i*2+:2] | \owing.memory_part.words [i*2+:2])) != 0
        || (\exited.memory_part.words [i*2+:2] == 0 && \gone.memory_part.words [i*16+:16] != 0))) settled = 1'b0;
  end
  always @(*) if (checking) helper_exited: assert (settled);
  // The sum is that of its parts, in two steps, and none of them exceeds what is expected.
  always @(*) if (checking && configured) helper_without: assert (total == without_1 + given_1);
  always @(*) if (checking && configured) helper_sum: assert (without_1 == gone_all + given_0);
  always @(*) if (checking && configured) helper_parts: assert (without_1 <= wanted && given_0 <= wanted && given_1 <= wanted && gone_all <= wanted);
  // A request for the watched barrier sees the sum and the share of its core, and adds to it what was told.
  wire seen = full && id == watched && configured;
  always @(*) if (checking && configured) helper_sums: assert ({2'd0, \sums.memory_part.words [watched*16+:16]} == total);
  always @(*) if (checking && seen) helper_share: assert ({2'd0, share} == given_by && {2'd0, sums_read_data} == total && expected_read_data == wanted);
  always @(*) if (checking && seen && act && (arrive || leave)) helper_now: assert ({2'd0, sum} == total_now);
  // So are the counts.
  always @(*) if (checking && configured) helper_counts: assert (
    \expected.memory_part.words [watched*16+:16] == wanted && {2'd0, \gone.memory_part.words [watched*16+:16]} == gone_all
    && (here[0] ? \shares.memory_part.words [{watched, 1'b0}*16+:16] == given_0[15:0] : given_0 == 0)
    && (here[1] ? \shares.memory_part.words [{watched, 1'b1}*16+:16] == given_1[15:0] : given_1 == 0));
`endif
