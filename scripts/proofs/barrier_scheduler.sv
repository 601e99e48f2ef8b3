// The arrival side of the barrier scheduler keeps what its execution side assumes (BR-10 to BR-23, BR-41); at a point with two CTAs of two blocks
// of four threads, and two barriers. The execution side may answer anything, but that it ends what is not dynamic.

  localparam [3:0] CODE_LAUNCH = 4'd0, CODE_ARRIVE = 4'd3, CODE_BOTTOM = 4'd4, CODE_EXIT = 4'd5, CODE_RESET = 4'd6, CODE_SPLIT_ARRIVE = 4'd7, CODE_WAIT = 4'd8,
    CODE_WITHDRAW = 4'd12, CODE_DEPOSIT = 4'd13, WORD_LIVE = 4'd1, WORD_CONFIGURATION = 4'd7, WORD_STATE = 4'd9, WORD_CLOCK = 4'd11, WORD_ENTRY = 4'd12;
  wire launches = launching && execute_valid, refused_there = refused, error_inside = inside_error;
  // include barrier_contract
  // Who asks knows the operations that there are, and names as participants threads that arrive.
  always @(*) if (checking) operations_are_known: assume (!request_valid || request_operation < CODE_ATTEND);

  // Any one barrier of a CTA, from its launch on until its CTA has been saved, or words of a saved one are put into it.
  (* anyconst *) reg [1:0] key;
  wire in_cta = execute_cta == key[1];
  wire here = act && execute_key == key;
  reg whole;
  reg [3:0] begun;
  wire began = begun[key];
  // Who of the CTA's threads there is, and who of them has exited; who sleeps, or did, in the present phase, and who of these takes part in its execution.
  (* anyseq *) reg [7:0] chosen;
  reg [7:0] threads, gone, slept, takes_part;
  reg phase, running;
  wire [7:0] mask_there = {{4{execute_block}} & execute_mask, {4{!execute_block}} & execute_mask};
  wire [7:0] sleep_there = {{4{execute_block}} & sleep_mask, {4{!execute_block}} & sleep_mask};
  wire first_step = act && in_cta && execute_first;
  always @(posedge clock)
    if (reset) {whole, begun} <= 5'd0;
    else begin
      if (act && launching) begun <= begun | 4'd1 << execute_key;
      if (act && in_cta && (code == CODE_DEPOSIT || (code == CODE_WITHDRAW && ctas_retire))) whole <= 1'b0;
      if (here && launching) whole <= 1'b1;
      if (first_step && launching) {threads, gone} <= {chosen, 8'd0};
      if (first_step && exiting) gone <= gone | mask_there;
      if (here) begin
        slept <= launching || release_valid ? 8'd0 : slept | sleep_there;
        takes_part <= launching || release_valid ? 8'd0 : takes_part | (sleep_done ? 8'd0 : sleep_there);
        running <= !launching && (dynamic_valid || (running && !idle_valid));
        phase <= !launching && (phase ^ (release_valid || (code == CODE_RESET && state_now[2])));
      end
    end
  function [3:0] number(input [7:0] set);
    number = set[0] + set[1] + set[2] + set[3] + set[4] + set[5] + set[6] + set[7];
  endfunction
  // Its memories.
  (* hierconn *) wire [31:0] \barriers.states.memory_part.words ;
  (* hierconn *) wire [15:0] \barriers.asleep.memory_part.words ;
  (* hierconn *) wire [15:0] \barriers.counts.memory_part.words ;
  (* hierconn *) wire [191:0] \barriers.configurations.memory_part.words ;
  (* hierconn *) wire [7:0] \barriers.fills.memory_part.words ;
  (* hierconn *) wire [31:0] \bits.arrivals.memory_part.words ;
  (* hierconn *) wire [7:0] \ctas.living.memory_part.words ;
  (* hierconn *) wire [3:0] \ctas.used.memory_part.words ;
  (* hierconn *) wire [1:0] \ctas.used.read_data ;
  (* hierconn *) wire [3:0] \barriers.asleep.read_data ;
  (* hierconn *) wire [3:0] \bits.arrivals.read_data ;
  // The parts of the decision what becomes of a barrier.
  (* hierconn *) wire [3:0] \change.base_count ;
  (* hierconn *) wire [3:0] \change.count_now ;
  (* hierconn *) wire \change.waiting ;
  (* hierconn *) wire \change.evaluate ;
  (* hierconn *) wire \change.ends ;
  (* hierconn *) wire \change.nobody ;
  (* hierconn *) wire \change.turns_dynamic ;
  (* hierconn *) wire \change.turns_idle ;
  wire [7:0] state_now = \barriers.states.memory_part.words [key*8+:8];
  wire [3:0] sleepers_now = \barriers.asleep.memory_part.words [key*4+:4];
  wire [3:0] count_now = \barriers.counts.memory_part.words [key*4+:4];
  wire [2:0] condition_now = \barriers.configurations.memory_part.words [key*48+:3];
  wire [1:0] filled_now = \barriers.fills.memory_part.words [key*2+:2];
  wire [3:0] live_now = \ctas.living.memory_part.words [key[1]*4+:4];
  wire [7:0] arrived_now = \bits.arrivals.memory_part.words [key*8+:8] & {{4{filled_now[1]}}, {4{filled_now[0]}}};
  // A CTA is launched after it has gone, with as many threads as it has.
  always @(*) if (checking && first_step && launching) launches_who_is_there: assume (!ctas_launched && number(chosen) == execute_data[3:0]);
  // Only threads of the CTA ask for what takes effect, and not after they have exited, nor while they sleep. Of a dynamic barrier it is not said who sleeps: some are inside, some have passed.
  wire of_threads = code == CODE_ARRIVE || code == CODE_BOTTOM || code == CODE_EXIT || code == CODE_SPLIT_ARRIVE || code == CODE_WAIT;
  always @(*) if (checking && whole && execute_request && act && in_cta && of_threads) who_asks_is_there: assume ((mask_there & ~threads) == 0 && (mask_there & gone) == 0
    && (running || (mask_there & slept) == 0));
  // The execution side finds nothing wrong but requests, which are no launches, and ends what is dynamic.
  always @(*) if (checking) only_requests_are_wrong: assume ((execute_request && !launching) || !(inside_error || saving_refused));
  always @(*) if (checking && whole && finishes && finishing == key && !finish_cancel) finishes_what_runs: assume (running);

  // What is put back is what was withdrawn, word by word: Live comes first, and of a barrier its configuration before its state; no more threads sleep in it, or
  // have arrived, than live, and one of an impatient top has sleepers; its clock says what its state does (CX-09, CX-10).
  wire puts_back = here && code == CODE_DEPOSIT;
  wire [3:0] put_count = execute_data[19:16], put_sleepers = execute_data[35:32];
  always @(*) if (checking && began && act && in_cta && code == CODE_DEPOSIT && execute_word == WORD_LIVE) lives_are_put_back_first: assume (state_now == 0 && count_now == 0);
  always @(*) if (checking && began && puts_back && execute_word == WORD_CONFIGURATION) configurations_are_put_back: assume (state_now == 0 && count_now == 0
    && execute_data[2:0] >= 1 && execute_data[2:0] <= 5);
  always @(*) if (checking && began && puts_back && execute_word == WORD_STATE) states_are_put_back: assume (state_now == 0 && count_now == 0
    && !(execute_data[0] && execute_data[1]) && (execute_data[0] || !(execute_data[2] || execute_data[6])) && put_count <= live_now
    && (execute_data[1] || put_sleepers <= live_now) && (execute_data[1:0] != 0 || put_sleepers == 0)
    && (!execute_data[0] || execute_data[2] || !condition_now[2] || put_sleepers != 0));
  always @(*) if (checking && act && code == CODE_DEPOSIT && execute_word == WORD_CLOCK) clocks_are_put_back: assume (execute_data[1:0] == {barriers_state[6], barriers_state[7]});
  // There is no word behind an entry that could be put back.
  always @(*) if (checking && act && code == CODE_DEPOSIT) words_are_known: assume (execute_word <= WORD_ENTRY);
  // Where a state says that the clock runs, or that a completion is held off, the clock's word follows before anything is asked of the CTA but that further words are put back, or
  // that it is launched anew. An entry of the queue is put back into a barrier that is dynamic: no clock of it runs, and no completion is held off.
  reg [3:0] owes;
  wire puts_state = code == CODE_DEPOSIT && execute_word == WORD_STATE, puts_clock = code == CODE_DEPOSIT && execute_word == WORD_CLOCK;
  always @(posedge clock)
    if (reset) owes <= 4'd0;
    else if (act && (launching || puts_state || puts_clock)) owes[execute_key] <= puts_state && execute_data[7:6] != 0;
  always @(*) if (checking && execute_request && act && (owes[{execute_cta, 1'b0}] || owes[{execute_cta, 1'b1}])) clocks_follow_their_states: assume (launching || code == CODE_DEPOSIT);
  always @(*) if (checking && act && code == CODE_DEPOSIT && execute_word == WORD_ENTRY) entries_are_of_what_runs: assume (barriers_state[1] && barriers_state[7:6] == 0
    && !owes[execute_key]);
  // So of a barrier that was put back, too: who asks is there, and awake. In numbers: who exits lives, does not sleep in it, and his arrival counts; who falls
  // asleep or arrives lives, and did not before.
  wire [3:0] arrived_there = number(arrived_now & mask_there);
  always @(*) if (checking && began && !whole && first_step && exiting) who_exits_lives: assume (arrived_there <= count_now
    && count_now - arrived_there + number(mask_there) <= {1'b0, live_now} && (state_now[1] || sleepers_now + number(mask_there) <= {1'b0, live_now}));
  always @(*) if (checking && began && !whole && here && code != CODE_DEPOSIT && !state_now[1]) who_sleeps_lives: assume (sleepers_now + number(sleep_there) <= {1'b0, live_now});
  always @(*) if (checking && began && !whole && here && answer_counted != 0) who_arrives_lives: assume (\change.base_count + number(answer_counted) <= {1'b0, live_now});

  (* hierconn *) wire \scanner.launches ;
  wire [1:0] launched_there = ctas_launched_all, turns = \scanner.launches ? 2'd0 : 2'd1 << execute_cta;
  // include frozen_cta

  // 5. A barrier turns dynamic only if it is not, not at a split phase, and once the wake-ups of its last phase are out (BR-14, BR-30).
  always @(*) if (checking && whole && here && dynamic_valid && code != CODE_DEPOSIT) turns_dynamic_once: assert (code != CODE_WAIT && !running && !release_busy);
  // 5. So does a phase end at the arrival side, or else at the end of an execution; it is the present one that ends.
  always @(*) if (checking && whole && here && release_valid) ends_its_phase: assert (release_phase == phase && (finishes ? running : !running && !release_busy));
  // 5. Of a barrier that is not dynamic no reset is told to the execution side (BR-25).
  always @(*) if (checking && whole && here && reset_valid && code != CODE_DEPOSIT) resets_dynamic: assert (code == CODE_RESET && running && !dynamic_valid);
  // 6. Who falls asleep does so in the present phase; in a running barrier it joins, unless it sleeps until the end only (BR-19, BR-20, BR-23).
  always @(*) if (checking && whole && here && sleep_mask != 0 && code != CODE_DEPOSIT) sleeps_where_it_may: assert (sleep_phase == phase && (!running || sleep_rescan != sleep_done));
  // 6. A thread arrives once in an execution: who has arrived waits until the barrier is idle (BR-16, BR-20).
  always @(*) if (checking && whole && here && code != CODE_DEPOSIT && !sleep_done) arrives_once: assert ((sleep_there & takes_part) == 0);
  // 7. In a phase that a reset ends without a release nobody sleeps, and nothing of it is dynamic or on its way out (BR-25).
  always @(*) if (checking && whole && here && code == CODE_RESET && !release_valid && state_now[2]) given_up_when_empty: assert (slept == 0 && !running && !release_busy);
  // 2. Nobody is forgotten: in an idle barrier nobody sleeps (BR-41).
  always @(*) if (checking && whole && state_now[1:0] == 0) idle_is_empty: assert (slept == 0);
  // 5. A CTA has no dynamic barrier when it is launched (BR-02).
  always @(*) if (checking && first_step && launching && whole) launches_what_is_idle: assert (!running);

  // The watched barrier turns dynamic with two sleepers, of different blocks.
  dynamic: cover property (checking && whole && here && dynamic_valid && number(slept) == 2 && slept[7:4] != 0 && slept[3:0] != 0);
  // Its execution ends.
  ended: cover property (checking && whole && here && idle_valid);
  // A late thread joins it.
  joined: cover property (checking && whole && here && running && sleep_rescan && sleep_mask != 0);

  // As many count as have arrived, and these are threads of the CTA that have not exited, but for those whose exit has its second step.
  wire second_exit = second && exiting && in_cta && key[0], second_launch = second && launching && in_cta && key[0];
  always @(*) if (checking && whole) helper_count: assert (count_now == number(arrived_now)
    && (second_launch || ((arrived_now & ~threads) == 0 && (arrived_now & gone & ~(second_exit ? mask_there : 8'd0)) == 0)));
  // A barrier has no more arrivals and sleepers than its CTA has living threads; an idle one has no sleepers, an impatient one that waits has some.
  always @(*) if (checking && began && !second_launch) helper_numbers: assert ((state_now[1] || sleepers_now <= live_now)
    && (second_exit ? arrived_there <= count_now && count_now - arrived_there <= live_now : count_now <= live_now));
  always @(*) if (checking && began) helper_impatient: assert ((state_now[1:0] != 0 || sleepers_now == 0) && (!state_now[0] || state_now[2] || !condition_now[2] || sleepers_now != 0));
  always @(*) if (checking && began) helper_bits: assert (!(state_now[0] && state_now[1]) && (state_now[0] || !(state_now[2] || state_now[6])));
  // A condition is one of those that there are.
  always @(*) if (checking && began) helper_condition: assert (condition_now >= 1 && condition_now <= 5);
  // The first step of a launch has cleared the first barrier.
  always @(*) if (checking && second && launching && in_cta && !key[0]) helper_cleared: assert (began && whole && state_now == 0 && count_now == 0 && sleepers_now == 0);
  // Only a CTA that was launched has something in the execute stage, but for a launch, and what asks for attention or has ended.
  always @(*) if (checking && !began) helper_began: assert (!ctas_launched_all[key[1]]
    && (!(second && in_cta) || (launching && key[0])) && !(execute_valid && execute_operation == CODE_ATTEND && in_cta));

  // What the execute stage sees is what lies in the memories, a write of the cycle before included.
  always @(*) if (checking) helper_reads: assert (!execute_valid || (barriers_state == \barriers.states.memory_part.words [execute_key*8+:8]
    && barriers_filled == \barriers.fills.memory_part.words [execute_key*2+:2] && barriers_sleepers == \barriers.asleep.memory_part.words [execute_key*4+:4]
    && barriers_count == \barriers.counts.memory_part.words [execute_key*4+:4] && barriers_configuration == \barriers.configurations.memory_part.words [execute_key*48+:48]
    && \bits.arrivals.read_data == \bits.arrivals.memory_part.words [{execute_key, execute_block}*4+:4]
    && \ctas.used.read_data == \ctas.used.memory_part.words [execute_cta*2+:2] && ctas_live == \ctas.living.memory_part.words [execute_cta*4+:4]));
  // What the table says of the barrier.
  always @(*) if (checking && whole) helper_state: assert (state_now[1] == running && state_now[3] == phase && !(state_now[0] && state_now[1]) && (state_now[0] || !state_now[2]));
  always @(*) if (checking && whole) helper_sleepers: assert ((running || sleepers_now == number(slept)) && (takes_part & ~slept) == 0 && (slept & ~threads) == 0 && (gone & ~threads) == 0);
  always @(*) if (checking && whole && !running) helper_asleep: assert ((slept & gone) == 0);
  always @(*) if (checking && whole && ctas_launched_all[key[1]]) helper_live: assert (live_now == number(threads & ~gone));
  // Who takes part has arrived, unless it waits for a split phase.
  always @(*) if (checking && whole && !state_now[2]) helper_arrived: assert ((takes_part & ~gone & ~arrived_now) == 0);
  always @(*) if (checking && whole && second && exiting && in_cta) helper_second_step: assert ((mask_there & ~gone) == 0);
  always @(*) if (checking && second && launching && in_cta) helper_second_launch: assert (number(threads) == execute_data[3:0] && gone == 0 && !ctas_launched);
  always @(*) if (checking && whole && running) helper_launched: assert (ctas_launched_all[key[1]]);
  always @(*) if (checking && whole) helper_used: assert (\ctas.used.memory_part.words [key] == (state_now[1:0] != 0) && (ctas_launched_all[key[1]] || state_now[1:0] == 0));
  always @(*) if (checking) helper_operations: assert (!execute_request || execute_operation < CODE_ATTEND);
  always @(*) if (checking) helper_participants: assert ((stage_execute_participants & ~execute_mask) == 0);
  always @(*) if (checking) helper_stage: assert (!execute_valid || ((execute_request || second || execute_operation >= CODE_ATTEND) && execute_first == !second));

  // 6. Whenever it is judged whether a barrier is complete, no more have arrived that count than live (BR-12).
  always @(*) if (checking && began && here && \change.waiting && \change.evaluate ) no_more_than_live: assert (\change.count_now <= change_next_live);
  // 7. A phase of an impatient top does not end with nobody in it: whoever counts there sleeps, and does not exit before it is woken.
  always @(*) if (checking && began && here && \change.ends && barriers_configuration[2]) ends_with_somebody: assert (!\change.nobody );
  // 5. A barrier that turns dynamic does not turn idle in the same step: who sleeps in it lives.
  always @(*) if (checking && began && here) dynamic_is_not_idle: assert (!(\change.turns_dynamic && \change.turns_idle ));
