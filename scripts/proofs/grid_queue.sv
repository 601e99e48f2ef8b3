// Grids that wait (WD-06).

  // Only a grid that is there is taken.
  always @(*) if (checking) takes_what_is_there: assume (!next_take || next_valid);

  // 1. The queue never holds more than it has room for, and says so.
  always @(*) if (checking) count_in_range: assert (count <= CAPACITY && request_ready == (count != CAPACITY) && next_valid == (count != 0));

  // Any one bit of any one grid is watched from when it enters; `ahead` are those before it. One that enters at the head goes before all.
  (* anyseq *) reg watch;
  reg watching;
  reg [2:0] ahead;
  (* anyconst *) reg [7:0] place_in_grid;
  reg watched;
  wire enters_now = request_valid && request_ready;
  always @(posedge clock)
    if (reset) watching <= 1'b0;
    else if (!watching && watch && enters_now) begin
      watching <= 1'b1;
      ahead <= request_head ? 3'd0 : count - next_take;
      watched <= {request_shape, request_task} >> place_in_grid;
    end else if (watching) begin
      if (next_take && ahead == 0) watching <= 1'b0;
      ahead <= ahead - next_take + (enters_now && request_head);
    end
  wire [159:0] shown_bits = {next_shape, next_task} >> place_in_grid;
  wire shown = shown_bits[0];
  // 2. Grids are served in the order of the queue, each once and unchanged.
  always @(*) if (checking && watching && ahead == 0) in_order: assert (next_valid && shown == watched);

  // A grid goes before one that waits, while another leaves.
  overtakes: cover property (checking && watching && ahead == 0 && count == 2 && enters_now && request_head && next_take);
  // The queue is full.
  full: cover property (checking && count == CAPACITY);

  (* hierconn *) wire [255:0] \tasks.words ;
  (* hierconn *) wire [383:0] \shapes.words ;
  wire [1:0] place = first + ahead[1:0];
  wire [159:0] stored = {\shapes.words [place*96+:96], \tasks.words [place*64+:64]} >> place_in_grid;
  // The watched grid lies where its place in the order says.
  always @(*) if (checking && watching) helper_watched: assert (
    ahead < count && stored[0] == watched);
