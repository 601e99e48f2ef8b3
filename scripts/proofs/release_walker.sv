// Releases become walks over the blocks of a CTA (BR-30, BR-45).

  // A barrier is not released again before its walk has ended, nor before the memories are clear.
  always @(*) if (checking) released_when_walked: assume (!release_valid || (!sweeping && !release_busy));
  // A CTA has no more blocks than there are.
  always @(*) if (checking && walk_valid && &walk_logical) blocks_end: assume (walk_last);

  // `unwalked`: the barriers that were released and not walked to the end.
  localparam KEYS = `CTAS * `BARRIERS;
  localparam [KEYS-1:0] OF_A_CTA = (1 << `BARRIERS) - 1;
  wire [$clog2(KEYS)-1:0] released_key = {execute_cta, execute_barrier};
  wire [$clog2(KEYS)-1:0] walked_key = {walk_cta, walk_barrier};
  wire taken = walk_valid && (!walk_any || walk_taken);
  reg [KEYS-1:0] unwalked;
  always @(posedge clock)
    if (reset) unwalked <= 0;
    else begin
      if (taken && walk_last) unwalked[walked_key] <= 1'b0;
      if (release_valid) unwalked[released_key] <= 1'b1;
    end
  reg [$clog2(KEYS):0] number;
  integer i;
`ifdef SMALLEST
  always @(*) begin
    number = 0;
    for (i = 0; i < KEYS; i = i + 1) number = number + unwalked[i];
  end
`else
  // To add so many bits up in every cycle is too much for a solver.
  always @(posedge clock) number <= reset ? 0 : number + release_valid - (taken && walk_last);
`endif

  // 1. The queue holds each release that is not walked to its end, once: it never overflows.
  always @(*) if (checking) never_overflows: assert (queue_count == number);
  // 1. A barrier is busy, and so is its CTA, from its release until its last block is walked.
  always @(*) if (checking && !sweeping) busy_until_walked: assert (
    release_busy == unwalked[released_key] && release_busy_cta == |(unwalked >> execute_cta * `BARRIERS & OF_A_CTA));
  // 2. What is walked was released and is not walked to its end.
  always @(*) if (checking && walk_valid) walks_a_release: assert (unwalked[walked_key]);
  // Any one barrier is watched: the phase and the address of its release, and the block that its walk has come to.
  (* anyconst *) reg [$clog2(KEYS)-1:0] watched;
  reg [$bits(release_address):0] given;
  reg [$bits(walk_logical)-1:0] next;
  always @(posedge clock)
    if (release_valid && released_key == watched) begin
      given <= {release_address, release_phase};
      next <= 0;
    end else if (taken && walked_key == watched) next <= next + 1'b1;
  // 2. It is that phase and that address which are walked.
  always @(*) if (checking && walk_valid && walked_key == watched) walks_what_was_released: assert ({walk_address, walk_phase} == given);
  // 2. All blocks of the CTA are walked, from the first on, each until its wake-up is taken.
  always @(*) if (checking && walk_valid && walked_key == watched) walks_all_blocks: assert (walk_logical == next);
  // 3. Every release has its walk: something is walked while any is not walked to its end.
  always @(*) if (checking && unwalked != 0) none_is_forgotten: assert (walk_valid);

  // All barriers were released, and one is walked to its end.
  all_wait: cover property (checking && &unwalked && taken && walk_last && walk_any);
  // A barrier is released while another of its CTA is walked, one block of it without sleepers.
  while_walked: cover property (checking && release_valid && walk_valid && walk_cta == execute_cta && !walk_any && !walk_last);

`ifdef SMALLEST
  (* hierconn *) wire [3:0] \begun.words ;
  (* hierconn *) wire [3:0] \ended.words ;
  (* hierconn *) wire [3:0] \ended_walk.words ;
  (* hierconn *) wire [99:0] \queue.memory_part.words ;
  (* hierconn *) wire [1:0] \queue.first ;
  reg [3:0] seen;
  reg differ, kept;
  reg [1:0] at;
  reg [24:0] word;
  always @(*) begin
    seen = 0;
    differ = 1;
    kept = 1;
    for (i = 0; i < 4; i = i + 1) begin
      at = \queue.first + i[1:0];
      word = \queue.memory_part.words [at*25+:25];
      if (i < queue_count) begin
        if (seen[word[24:23]]) differ = 0;
        seen[word[24:23]] = 1'b1;
        if (word[24:23] == watched && word[22:0] != given) kept = 0;
      end
    end
  end
  // The entries of the queue are the releases that are not walked to the end, as they came.
  always @(*) if (checking) helper_entries: assert (differ && seen == unwalked && kept);
  // The two memories differ where a release is not walked to its end, and the copy is one.
  always @(*) if (checking && !sweeping) helper_marks: assert ((\begun.words ^ \ended.words ) == unwalked && \ended.words == \ended_walk.words );
  // Until they are clear there is none; what was swept is clear.
  always @(*) if (checking && sweeping) helper_sweep: assert (unwalked == 0 && (!sweep || (\begun.words [1:0] == 0 && \ended.words [1:0] == 0 && \ended_walk.words [1:0] == 0)));
  // The walk is at its beginning unless its release is the head, and within what there is.
  always @(*) if (checking) helper_block: assert ((walk_valid || !walk_logical) && (!unwalked[watched] || walked_key == watched || !next));
`endif
