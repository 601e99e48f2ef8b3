// Which nodes of a warp's tree are free (TD-08).

  // Any one warp, the first where there is one only.
  (* anyconst *) reg [$bits(warp)-1:0] watched;
  wire mine = `WARPS == 1 || warp == watched;
  always @(*) if (checking && `WARPS == 1) one_warp: assume (warp == 0);
  // The warp starts before its nodes are used.
  reg began;
  always @(posedge clock) began <= started && (began || (mine && clear_enable));
  // Nodes that are used: node 0 is, when the warp starts.
  localparam NODES_OF_A_WARP = 1 << $bits(first_node);
  reg [NODES_OF_A_WARP-1:0] live;
  reg [NODES_OF_A_WARP-1:0] next_live;
  always @(*) begin
    next_live = live;
    if (release_enable) next_live[release_node] = 1'b0;
    if (take_first) next_live[first_node] = 1'b1;
    if (take_second) next_live[second_node] = 1'b1;
    if (clear_enable) next_live = 1;
  end
  always @(posedge clock) if (mine) live <= next_live;
  reg [$bits(used)-1:0] number;
  integer i, j;
  always @(*) begin
    number = 0;
    for (i = 0; i < NODES_OF_A_WARP; i = i + 1) number = number + live[i];
  end
  // Nodes are taken only if they are free, the second with the first; one that is given back is used. A warp that starts does nothing else.
  always @(*) if (checking && mine) takes_what_is_free: assume ((!take_first || !none) && (!take_second || (take_first && !single))
    && (!release_enable || (began && live[release_node])) && (!take_first || began) && !(clear_enable && (take_first || release_enable)));

  // 1. A node that is taken is not in use, and the two differ (TD-08).
  always @(*) if (checking && mine && began) never_given_twice: assert ((!take_first || !live[first_node])
    && (!take_second || (!live[second_node] && second_node != first_node)));
  // 2. No node is lost: the list runs out only when all are in use, and counts those that are.
  always @(*) if (checking && mine && began) none_is_lost: assert (used == number && none == (number == NODES_OF_A_WARP) && single == (number == NODES_OF_A_WARP - 1));

  // Two are taken and one given back in a cycle.
  busy: cover property (checking && mine && take_second && release_enable && number == 4);
  // All are in use.
  all_used: cover property (checking && mine && began && none);

`ifdef SMALLEST
  (* hierconn *) wire [23:0] \upper.words ;
  (* hierconn *) wire [23:0] \lower.words ;
  reg listed;
  always @(*) begin
    listed = mark <= 8 && count <= mark;
    for (i = 0; i < 8; i = i + 1) begin
      if (i >= mark && live[i]) listed = 1'b0;
      if (i < count && (live[\upper.words [3*i+:3]] || \upper.words [3*i+:3] >= mark)) listed = 1'b0;
      for (j = 0; j < i; j = j + 1) if (i < count && \upper.words [3*i+:3] == \upper.words [3*j+:3]) listed = 1'b0;
    end
  end
  // The nodes of the stack differ, lie below the mark and are not in use; those from the mark on are not in use either.
  always @(*) if (checking && began) helper_stack: assert (listed);
  // Both copies of the stack agree where it is filled.
  reg agree;
  always @(*) begin
    agree = 1'b1;
    for (i = 0; i < 8; i = i + 1) if (i < count && \upper.words [3*i+:3] != \lower.words [3*i+:3]) agree = 1'b0;
  end
  always @(*) if (checking && began) helper_copies: assert (agree);
`endif
