// The walk of the work distributor through the indices of a grid (WD-02, WD-10).

  // A grid begins when the one before it has ended, and stands still from the cycle after; a segment that is shown is taken.
  wire [112:0] grid = {clustered, range_x, range_y, range_z, cluster_x, cluster_y, cluster_z};
  reg [112:0] past_grid;
  reg begun, past_empty, past_clustered;
  reg [15:0] past_x;
  always @(posedge clock) begin
    past_grid <= grid;
    begun <= !reset && start;
    past_empty <= start_empty;
    past_clustered <= start_clustered;
    past_x <= start_x;
  end
  always @(*) if (checking) starts_when_idle: assume ((!start || !walking) && (!segment_step || segment_valid));
  always @(*) if (checking && begun) grid_is_told: assume (clustered == past_clustered && range_x == past_x && past_empty == (range_x == 0 || range_y == 0 || range_z == 0));
  always @(*) if (checking && !begun && walking) grid_is_static: assume (grid == past_grid);

  // Any one index within the ranges is watched: whether it was in a segment that was taken.
  (* anyconst *) reg [15:0] x_watched, y_watched, z_watched;
  wire within = x_watched < range_x && y_watched < range_y && z_watched < range_z;
  wire shows = segment_valid && y == y_watched && z == z_watched && word == x_watched[15:6] && low <= x_watched[5:0] && x_watched[5:0] <= high;
  reg walked, ran;
  always @(posedge clock)
    if (reset) {walked, ran} <= 0;
    else if (start) {walked, ran} <= {1'b0, !start_empty};
    else if (segment_step && shows) walked <= 1'b1;

  // 1. No index is in two segments, and none that is not within the ranges in any.
  always @(*) if (checking && shows) at_most_once: assert (!walked && within);
  // 1. Each index within the ranges was in a segment when the grid ends.
  always @(*) if (checking && segment_step && within && wraps && y_last && z_last) none_is_left_out: assert (walked || shows);
  // 1. A segment has at least one flag.
  always @(*) if (checking && segment_valid) segments_have_flags: assert (low <= high);
  // 3. Inside a cluster, or a grid that is not cut, x goes fastest, then y, then z (WD-02).
  reg [41:0] last;
  always @(posedge clock) if (segment_step) last <= {z, y, word};
  always @(*) if (checking && segment_valid && !opens) x_goes_fastest: assert ({z, y, word} > last);
  // 3. So do clusters: each begins behind the one before it in x, else in y, else in z (WD-10).
  reg some;
  reg [47:0] opened;
  always @(posedge clock)
    if (reset || start) some <= 1'b0;
    else if (segment_step && opens) begin
      some <= 1'b1;
      opened <= {z, y, word, low};
    end
  always @(*) if (checking && segment_valid && opens && some) clusters_in_order: assert ({z, y, word, low} > opened);

  // A grid that is cut in all directions ends with its last cluster, which is clipped.
  clipped: cover property (checking && segment_step && wraps && y_last && z_last && clustered && cluster_z == 2 && z == 2 && cluster_x == 3 && range_x == 4 && y == 0 && some);
  // A grid that is not cut has a second plane of two rows of two words.
  planes: cover property (checking && segment_step && !clustered && z == 1 && y == 1 && word == 1);

  // Where the cluster at work ends, clipped to the grid.
  wire at_work = state == WALK_STATE_WALKING;
  wire turns = state == WALK_STATE_TURNING;
  wire [16:0] x_after = x_first + {1'b0, cluster_x};
  wire [16:0] y_after = y_first + {1'b0, cluster_y};
  wire [16:0] z_after = z_first + {1'b0, cluster_z};
  wire [15:0] x_bound = !clustered || cluster_x == 0 || x_after > range_x ? range_x : x_after[15:0];
  wire [15:0] y_bound = !clustered || cluster_y == 0 || y_after > range_y ? range_y : y_after[15:0];
  wire [15:0] z_bound = !clustered || cluster_z == 0 || z_after > range_z ? range_z : z_after[15:0];
  wire [15:0] x_last = x_bound - 1'b1;
  wire [9:0] word_now = turns ? x_first[15:6] : word_at;
  // The walk is inside its cluster, which is inside the grid.
  always @(*) if (checking) helper_state: assert (state <= 2 && (!begun || !walked) && (!begun || (past_empty ? !walking : past_clustered ? turns : at_work))
    && (!turns || clustered) && (!begun || !some));
  always @(*) if (checking && walking) helper_x: assert (x_first < x_bound && x_bound <= range_x && (!at_work || x_end == x_bound)
    && x_first[15:6] <= word_now && word_now <= x_last[15:6] && (clustered || x_first == 0));
  always @(*) if (checking && walking) helper_y: assert (y_first <= y_at && y_at < y_bound && y_bound <= range_y && y_count == y_at - y_first + 16'd1 && (clustered || y_first == 0));
  always @(*) if (checking && walking) helper_z: assert (z_first <= z_at && z_at < z_bound && z_bound <= range_z && z_count == z_at - z_first + 16'd1 && (clustered || z_first == 0));
  always @(*) if (checking && walking) helper_opens: assert (row_opens == (word_now == x_first[15:6]) && cluster_opens == (word_now == x_first[15:6] && y_at == y_first && z_at == z_first));
  // Which indices were walked: those of the clusters before it, and in it those of the rows and words before this one.
  wire before = z_watched < z_first || (z_watched < z_bound && (y_watched < y_first || (y_watched < y_bound && (x_watched < x_first
    || (x_watched < x_bound && {z_watched, y_watched, x_watched[15:6]} < {z_at, y_at, word_now})))));
  always @(*) if (checking && walking && within) helper_walked: assert (walked == before);
  always @(*) if (checking && walking && !within) helper_beyond: assert (!walked);
  // The segment before this one, and the cluster.
  always @(*) if (checking && walking && !cluster_opens) helper_last: assert ({z_at, y_at, word_now} > last);
  always @(*) if (checking && walking && some) helper_opened: assert (cluster_opens ? {z_first, y_first, x_first} > opened : {z_first, y_first, x_first} == opened);
  always @(*) if (checking && walking && !cluster_opens) helper_some: assert (some);
