// Counts arrivals and says when a barrier is complete (BR-12, BR-13, BR-41).

  // Any one barrier of any CTA, from its launch on until words of a saved CTA are put into it.
  (* anyconst *) reg [$bits(execute_key)-1:0] key;
  wire here = act && execute_key == key;
  reg known;
  always @(posedge clock)
    if (reset) known <= 1'b0;
    else if (here) known <= launching || (known && code != 13);
  // Its memory: the count, which blocks have bits, and the bits of each block's threads.
  localparam THREADS = `BLOCK_THREADS, MEMBERS = `BLOCKS * THREADS;
`ifdef SMALLEST
  (* hierconn *) wire [15:0] \barriers.counts.memory_part.words ;
  (* hierconn *) wire [7:0] \barriers.fills.memory_part.words ;
  (* hierconn *) wire [31:0] \bits.arrivals.memory_part.words ;
  wire [3:0] count_now = \barriers.counts.memory_part.words [key*4+:4];
  wire [1:0] filled_now = \barriers.fills.memory_part.words [key*2+:2];
  wire [7:0] arrived_bits = \bits.arrivals.memory_part.words [key*8+:8];
`else
  (* hierconn *) wire [$bits(key)-1:0] \barriers.counts.memory_part.look = key;
  (* hierconn *) wire [$bits(key)-1:0] \barriers.fills.memory_part.look = key;
  (* hierconn *) wire [$clog2(`BLOCKS)+$bits(key)-1:0] \bits.arrivals.memory_part.look = key * `BLOCKS;
  (* hierconn *) wire [8*$clog2(MEMBERS)+7:0] \barriers.counts.memory_part.looked_at ;
  (* hierconn *) wire [8*`BLOCKS-1:0] \barriers.fills.memory_part.looked_at ;
  (* hierconn *) wire [MEMBERS-1:0] \bits.arrivals.memory_part.looked_at ;
  wire [$clog2(MEMBERS):0] count_now = \barriers.counts.memory_part.looked_at ;
  wire [`BLOCKS-1:0] filled_now = \barriers.fills.memory_part.looked_at ;
  wire [MEMBERS-1:0] arrived_bits = \bits.arrivals.memory_part.looked_at ;
`endif
  reg [MEMBERS-1:0] arrived_now;
  reg [$clog2(MEMBERS):0] number;
  integer i;
  always @(*) begin
    number = 0;
    for (i = 0; i < MEMBERS; i = i + 1) begin
      arrived_now[i] = arrived_bits[i] && filled_now[i / THREADS];
      number = number + arrived_now[i];
    end
  end
  // 2. The count is that of the arrived bits (BR-12, BR-41).
  always @(*) if (checking && known) count_is_arrived: assert (count_now == number);
  // 2. Nobody counts twice in a phase: who is counted has not arrived (BR-12, BR-41).
  wire [THREADS-1:0] arrived_here = arrived_now[execute_block*THREADS+:THREADS];
  wire begins_anew = here && answer_fresh;
  always @(*) if (checking && known && here && !begins_anew) counts_once: assert ((answer_counted & arrived_here) == 0);
  // 5. A launched barrier starts with nobody (BR-10).
  reg was_launched;
  always @(posedge clock) was_launched <= !reset && here && launching;
  always @(*) if (checking && was_launched) starts_with_nobody: assert (count_now == 0 && filled_now == 0);
  // 1. The answers to an arrival part its threads: each sleeps, goes on, skips or waits to be answered later, and only one of these (BR-13).
  always @(*) if (checking && act && answer_arrive) answers_part_the_mask: assert ((sleep_mask | pass_mask | skip_mask | wait_mask) == execute_mask
    && (sleep_mask & pass_mask) == 0 && (sleep_mask & skip_mask) == 0 && (sleep_mask & wait_mask) == 0
    && (pass_mask & skip_mask) == 0 && (pass_mask & wait_mask) == 0 && (skip_mask & wait_mask) == 0);
  // Participants are of the threads that arrive.
  always @(*) if (checking) participants_arrive: assume (!request_valid || (request_participants & ~request_mask) == 0);

  // Five threads of two blocks have arrived.
  five: cover property (checking && known && number == 5);
  // A barrier turns dynamic: sections begin.
  dynamic: cover property (checking && known && here && dynamic_valid);

`ifdef SMALLEST
  (* hierconn *) wire [3:0] \barriers.counts.read_data ;
  (* hierconn *) wire [1:0] \barriers.fills.read_data ;
  (* hierconn *) wire [3:0] \bits.arrivals.read_data ;
  // What the execute stage sees is what lies in the memories, a write of the cycle before included.
  always @(*) if (checking) helper_reads: assert (!execute_valid || (
    \barriers.counts.read_data == \barriers.counts.memory_part.words [execute_key*4+:4]
    && \barriers.fills.read_data == \barriers.fills.memory_part.words [execute_key*2+:2]
    && \bits.arrivals.read_data == \bits.arrivals.memory_part.words [{execute_key, execute_block}*4+:4]));
  always @(*) if (checking) helper_participants: assert (!execute_valid || !answer_arrive || (stage_execute_participants & ~execute_mask) == 0);
`endif
