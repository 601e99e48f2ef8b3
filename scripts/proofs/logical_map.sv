// Which physical thread block is the n-th of its CTA (BR-26).

  // What the last launch of any one CTA said, if there was one.
  (* anyconst *) reg [$bits(write_cta)-1:0] cta;
  reg launched;
  reg [63:0] said;
  always @(posedge clock)
    if (!started) launched <= 1'b0;
    else if (write_enable && write_cta == cta) {launched, said} <= {1'b1, write_data};
  // A CTA has threads, and no more than its blocks hold.
  localparam BLOCKS = `BLOCKS, THREADS = `BLOCK_THREADS, FULL = BLOCKS * THREADS, WIDTH = $clog2(BLOCKS);
  always @(*) if (started) has_threads: assume (!write_enable || (write_data[15:0] >= 1 && write_data[15:0] <= FULL));

  // 2. A walk sees the physical block of each logical one, as the launch said.
  always @(*) if (started && launched && walk_cta == cta) walk_sees_the_map: assert (walk_block == said[16 + walk_logical*WIDTH +: WIDTH]);
  // 2. So does the selection of a section.
  always @(*) if (started && launched && select_cta == cta) selection_sees_the_map: assert (select_block == said[16 + select_logical*WIDTH +: WIDTH]);
  // 1. The last block is the one that holds the last thread.
  always @(*) if (started && launched) last_holds_the_last_thread: assert ((walk_cta != cta || walk_last == ((said[15:0] - 1'b1) / THREADS == walk_logical))
    && (select_cta != cta || select_last == ((said[15:0] - 1'b1) / THREADS == select_logical)));
  // 3. A CTA that is saved and launched again with what was saved has the same map and as many blocks.
  always @(*) if (started && launched && write_cta == cta) saves_what_was_said: assert (saved[16 +: BLOCKS*WIDTH] == said[16 +: BLOCKS*WIDTH]
    && (saved[15:0] - 1'b1) / THREADS == (said[15:0] - 1'b1) / THREADS && saved[63:16 + BLOCKS*WIDTH] == 0);

  // A CTA of two blocks whose first logical one is the second physical one.
  swapped: cover property (started && launched && walk_cta == cta && walk_logical == 0 && walk_block == 1 && !walk_last);
  // A CTA of one block.
  single: cover property (started && launched && select_cta == cta && select_logical == 0 && select_last);

`ifdef SMALLEST
  (* hierconn *) wire [3:0] \walk_map.words ;
  (* hierconn *) wire [3:0] \select_map.words ;
  (* hierconn *) wire [3:0] \saved_map.words ;
  (* hierconn *) wire [1:0] \walk_end.words ;
  (* hierconn *) wire [1:0] \select_end.words ;
  (* hierconn *) wire [1:0] \saved_end.words ;
  wire over = (said[15:0] - 1'b1) / THREADS;
  // The three copies hold what was said.
  always @(*) if (started && launched) helper_copies: assert (said[15:0] >= 1 && said[15:0] <= FULL
    && \walk_map.words [cta*2+:2] == said[17:16] && \select_map.words [cta*2+:2] == said[17:16] && \saved_map.words [cta*2+:2] == said[17:16]
    && \walk_end.words [cta] == over && \select_end.words [cta] == over && \saved_end.words [cta] == over);
`endif
