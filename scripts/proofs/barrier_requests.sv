// The requests of an instruction, a launch or an end of a thread block at the barrier scheduler (SM-07, BR-02, BR-05, BR-51), whatever is in front of the queue.

  wire [7:0] code = word[63:56];
  wire of_warp = origin == 0;
  wire moves_counts = of_warp && (code == CODE_ANNOUNCE || code == CODE_COMPLETE);
  wire by_parts = of_warp && !moves_counts && code != CODE_CONFIGURE && code != CODE_RESET;
  wire goes = request_valid && request_ready;

  // What is in front stays as it is until it leaves, and somebody asks.
  wire [`{64 + 22 + 24 + 12 + 6 + 2 * THREADS}+$bits(index)+$bits(slot)+$bits(place):0] all = {origin, index, block_threads, word, address, operand, slot, place, named, threads};
  reg stays;
  reg [$bits(all)-1:0] then;
  always @(posedge clock) begin
    stays <= !reset && front_valid && !leave;
    then <= all;
  end
  always @(*) if (checking && stays) front_stays: assume (front_valid && all == then);
  always @(*) if (checking && front_valid && of_warp) somebody_asks: assume (moves_counts ? operand != 0 : by_parts ? threads != 0 : 1'b1);
  // A thread block has no more threads than the core.
  always @(*) if (checking && front_valid && !of_warp) a_block_fits: assume (block_threads <= `{WARPS * THREADS});
  // A reference out of a register has the ten bits that one has.
  always @(*) if (checking && front_valid && of_warp && code == CODE_CONFIGURE && word[51]) a_reference: assume (operand[23:10] == 0);

  // Any thread of the warp, and whether it was in a request of what is in front; any place in a block of the scheduler's, and the thread of the warp that has it.
  (* anyconst *) reg [`{log2(THREADS) - 1}:0] thread;
  (* anyconst *) reg [$clog2($bits(request_mask))-1:0] offset;
  wire is_asked = asked_threads[thread];
  wire [11:0] lane = {request_block, offset} - place * `THREADS;
  wire is_here = lane < `THREADS;
  // What was counted of the transactions of the instruction, and whether any request of it has gone.
  reg gone, begun;
  reg [11:0] even_rest, odd_rest;
  wire [11:0] even_now = begun ? even_rest : operand[11:0], odd_now = begun ? odd_rest : operand[23:12];
  wire is_odd = request_data[0];
  wire [11:0] counted = request_data[12:1];
  always @(posedge clock) begin
    gone <= !reset && (goes ? !asked_last && (gone || is_asked) : gone);
    begun <= !reset && (goes ? !asked_last : begun);
    if (goes) {even_rest, odd_rest} <= {even_now - (is_odd ? 12'd0 : counted), odd_now - (is_odd ? counted : 12'd0)};
  end

  // 1. A thread for which an instruction asks is in one request of it, and no other is.
  always @(*) if (checking && goes && by_parts) each_thread_once: assert (!(gone && is_asked) && (!is_asked || threads[thread]) && (!asked_last || !threads[thread] || gone || is_asked));
  // 2. It is asked for where its rank in the thread block puts it.
  always @(*) if (checking && request_valid && by_parts) by_its_rank: assert (request_mask[offset] == (is_here && asked_threads[lane])
    && (!is_here || !(asked_threads[lane] || request_participants[offset]) || request_participants[offset] == named[lane]) && (!is_asked || (place * `THREADS + thread) >> $bits(offset) == request_block));
  // 3. All transactions are announced or complete, up to 63 in a request, those of the even phase first, for the threads of that phase.
  always @(*) if (checking && request_valid && moves_counts) counts_all: assert (request_data[63:13] == 0 && counted <= 63 && counted != 0 && is_odd == (even_now == 0)
    && counted <= (is_odd ? odd_now : even_now) && asked_last == (is_odd ? counted == odd_now : counted == even_now && odd_now == 0)
    && asked_threads == (is_odd ? threads : named & ~threads));
  // 4. A request is of the instruction's kind, barrier and flags.
  wire [3:0] kind = code == CODES_0 ? OPERATIONS_0 : code == CODES_1 ? OPERATIONS_1 : code == CODES_2 ? OPERATIONS_2 : code == CODES_3 ? OPERATIONS_3 : code == CODES_4 ? OPERATIONS_4
    : code == CODES_5 ? OPERATIONS_5 : code == CODES_6 ? OPERATIONS_6 : code == CODES_7 ? OPERATIONS_7 : code == CODES_8 ? OPERATIONS_8 : code == CODES_9 ? OPERATIONS_9
    : code == CODES_10 ? OPERATIONS_10 : OPERATION_EXIT;
  always @(*) if (checking && request_valid && of_warp) asks_as_said: assert (request_operation == kind && request_slot == slot && request_barrier == word[48:46]
    && request_tag == address && request_after == word[21:0] && {request_impatient, request_blocking, request_exclusive} == {word[36], !word[35], word[34]}
    && request_critical == (code != CODE_CONDITIONAL) && request_ordered == (code == CODE_ORDERED) && asked_exit == (kind == OPERATION_EXIT)
    && (by_parts ? 1'b1 : moves_counts || asked_threads == threads) && asked_again == (code == CODE_WAIT ? named & ~threads : 0)
    && (moves_counts || code == CODE_CONFIGURE || request_data == operand));
  // 4. A configuration is what the instruction says, or a register, with the class at its place.
  always @(*) if (checking && request_valid && of_warp && code == CODE_CONFIGURE) configures_as_said: assert (request_data == {16'd0, word[50:49], word[45:13], word[51] ? operand[9:0] : word[12:3], word[2:0]});
  // 5. A launch or an end is one request, of that slot; a launch tells the size of the thread block, and which of the scheduler's blocks are its own.
  (* anyconst *) reg [2:0] block;
  always @(*) if (checking && request_valid && !of_warp) one_of_a_block: assert (leave == request_ready && request_slot == index && request_block == 0
    && request_operation == (origin == ORIGIN_LAUNCH ? OPERATION_LAUNCH : OPERATION_RETIRE) && request_data[15:0] == block_threads && request_data[63:40] == 0
    && request_data[16+3*block+:3] == (block * $bits(request_mask) < block_threads ? block : 3'd0));
  // 6. The first request is told, and the last, with which it leaves.
  always @(*) if (checking) from_first_to_last: assert (asked_first == !begun && request_valid == front_valid && leave == (goes && asked_last));

  // An instruction of more than 126 transactions leaves.
  reg [1:0] requests;
  always @(posedge clock) requests <= reset || leave ? 0 : requests + goes;
  in_three_requests: cover property (checking && leave && moves_counts && requests == 2 && is_odd);

  // What is kept between the requests of an instruction.
  always @(*) if (checking) helper_begun: assert (under_way == begun && (!begun || (of_warp && stays)) && (begun || sent == 0));
  always @(*) if (checking && stays && by_parts) helper_sent: assert ((threads[thread] ? sent[thread >> $bits(offset)] == gone : !gone) && part_mask != 0);
  always @(*) if (checking && !begun) helper_none_yet: assert (!gone);
  always @(*) if (checking && begun && moves_counts) helper_left: assert (even_left == even_rest && odd_left == odd_rest && (even_rest != 0 || odd_rest != 0));
