// Whose request the barrier scheduler is asked next (SM-07, BR-05).

  // Those that enter in this cycle, in the order in which they come to stand.
  wire [3:0] enters = {present_valid, launch_valid, end_valid, again_valid};
  wire [$bits(front_index)+1:0] entering [0:3];
  assign entering[0] = {2'd2, again_slot};
  assign entering[1] = {2'd2, end_slot};
  assign entering[2] = {2'd1, launch_slot};
  assign entering[3] = {2'd0, present_warp};
  wire [$bits(front_index)+1:0] front = {front_origin, front_index};
  wire [2:0] arrivals = enters[0] + enters[1] + enters[2] + enters[3];

  // How many wait, and which warps and slots do.
  reg [$bits(count)-1:0] waiting;
  reg [`WARPS-1:0] warps, slots, warps_then, slots_then;
  always @(*) begin
    warps_then = warps;
    slots_then = slots;
    if (again_valid) slots_then[again_slot] = 1'b1;
    if (end_valid) slots_then[end_slot] = 1'b1;
    if (launch_valid) slots_then[launch_slot] = 1'b1;
    if (present_valid) warps_then[present_warp] = 1'b1;
    if (leave && front_origin == 0) warps_then[front_index] = 1'b0;
    if (leave && front_origin != 0) slots_then[front_index] = 1'b0;
  end
  always @(posedge clock)
    if (reset) {waiting, warps, slots} <= 0;
    else {waiting, warps, slots} <= {waiting + arrivals - leave, warps_then, slots_then};
  // A warp enters while it is not in the queue, a slot too, and each by one port; who leaves is in front.
  always @(*) if (checking) each_once: assume ((!present_valid || !warps[present_warp]) && (!launch_valid || !slots[launch_slot]) && (!end_valid || !slots[end_slot])
    && (!again_valid || !slots[again_slot]) && !(launch_valid && end_valid && launch_slot == end_slot) && !(launch_valid && again_valid && launch_slot == again_slot)
    && !(end_valid && again_valid && end_slot == again_slot) && (!leave || front_valid));

  // Any one that enters is watched from then on: what it is, and how many are in front of it.
  (* anyseq *) reg begins;
  (* anyconst *) reg [1:0] port;
  reg watched;
  reg [$bits(front_index)+1:0] own;
  reg [$bits(count)-1:0] ahead;
  wire starts = begins && !watched && enters[port];
  wire [1:0] before = (port > 0 && enters[0]) + (port > 1 && enters[1]) + (port > 2 && enters[2]);
  wire [$bits(count)-1:0] ahead_now = watched ? ahead : waiting + before;
  wire [$bits(front_index)+1:0] own_now = watched ? own : entering[port];
  always @(posedge clock) begin
    watched <= !reset && (watched || starts) && !(leave && ahead_now == 0);
    {own, ahead} <= {own_now, ahead_now - leave};
  end
  // 1. What entered is in front when all that came before have left, and of those that enter together the ports are in their order; it is what it was.
  always @(*) if (checking && (watched || starts) && ahead_now == 0) comes_in_its_turn: assert (front_valid && front == own_now);
  // 1. Somebody is in front as long as anybody waits or enters; it is new if it is the warp that presents in this cycle.
  always @(*) if (checking) somebody_is_in_front: assert (front_valid == (waiting != 0 || arrivals != 0) && front_new == (present_valid && waiting == 0 && enters[2:0] == 0));
  // 2. There is always room.
  always @(*) if (checking) there_is_room: assert ({1'b0, waiting} + arrivals <= 2 * `WARPS);

  // Somebody who entered behind five others comes to the front; four enter at once.
  reg far;
  always @(posedge clock) far <= !reset && (watched || starts) && (far || ahead_now >= 5);
  from_far: cover property (checking && watched && far && ahead == 0 && leave);
  four_at_once: cover property (checking && enters == 4'b1111);

  // The register of the count is what has entered and not left.
  always @(*) if (checking) helper_count: assert (count == waiting && count <= 2 * `WARPS);
`ifdef SMALLEST
  // The watched one lies behind those in front of it, and each entry is of a warp or slot that waits, no two of the same.
  wire [3:0] lies [0:7];
  assign {lies[7], lies[6], lies[5], lies[4], lies[3], lies[2], lies[1], lies[0]} = {entries_7, entries_6, entries_5, entries_4, entries_3, entries_2, entries_1, entries_0};
  always @(*) if (checking && watched) helper_watched: assert (ahead < waiting && lies[ahead[2:0]] == own);
  reg apart, known;
  integer one, other;
  always @(*) begin
    apart = 1'b1;
    known = 1'b1;
    for (one = 0; one < 8; one = one + 1) if (one < count) begin
      if (lies[one][3:2] == 3 || !(lies[one][3:2] == 0 ? warps[lies[one][1:0]] : slots[lies[one][1:0]])) known = 1'b0;
      for (other = 0; other < one; other = other + 1)
        if (lies[one][1:0] == lies[other][1:0] && (lies[one][3:2] == 0) == (lies[other][3:2] == 0)) apart = 1'b0;
    end
  end
  always @(*) if (checking) helper_entries: assert (apart && known);
  always @(*) if (checking) helper_members: assert (waiting == {1'b0, warps[0]} + warps[1] + warps[2] + warps[3] + slots[0] + slots[1] + slots[2] + slots[3]);
`endif
