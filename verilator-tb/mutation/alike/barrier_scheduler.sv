
  // Only differences to `now` count, of a clock that runs: the deadline of what was written without one nobody looks at. A barrier counts from its first launch on.
  (* hierconn *) wire [16:0] \scanner.now ;
  (* hierconn *) wire [1:0] \scanner.examined ;
  (* hierconn *) wire \scanner.changed ;
  (* hierconn *) wire [7:0] \scanner.attention.memory_part.words ;
  (* hierconn *) wire [67:0] \scanner.deadline.memory_part.words ;
  (* hierconn *) wire [67:0] \scanner.saved.memory_part.words ;
  (* hierconn *) wire [1:0] \scanner.attention.read_data ;
  (* hierconn *) wire [16:0] \scanner.deadline.read_data ;
  (* hierconn *) wire [16:0] \scanner.saved.read_data ;
  wire [7:0] attentions = \scanner.attention.memory_part.words ;
  wire [3:0] runs = begun & {attentions[6], attentions[4], attentions[2], attentions[0]};
  wire [16:0] now = \scanner.now ;
  function [16:0] left_of(input runs, input [16:0] deadline, input [16:0] now);
    left_of = runs ? deadline - now : 17'd0;
  endfunction
  function [67:0] left_of_all(input [3:0] runs, input [67:0] deadlines, input [16:0] now);
    integer barrier;
    for (barrier = 0; barrier < 4; barrier = barrier + 1) left_of_all[17*barrier+:17] = left_of(runs[barrier], deadlines[17*barrier+:17], now);
  endfunction
  wire [67:0] left_to_examine = left_of_all(runs, \scanner.deadline.memory_part.words , now), left_to_save = left_of_all(runs, \scanner.saved.memory_part.words , now);
  wire [16:0] left_of_examined = left_of(begun[\scanner.examined ] && \scanner.attention.read_data [0], \scanner.deadline.read_data , now);
  wire [16:0] left_of_saved = left_of(execute_valid && runs[execute_key], \scanner.saved.read_data , now);
  (* keep *) wire [169:0] heddle_alike_deadlines = {left_to_examine, left_to_save, left_of_examined, left_of_saved};

  // Each CTA has a time of its own, and of that, too, only differences count: what is left of its clocks by the lag that it has, in the register while it is held, else in either memory.
  (* hierconn *) wire \scanner.held ;
  (* hierconn *) wire \scanner.held_cta ;
  (* hierconn *) wire [16:0] \scanner.held_lag ;
  (* hierconn *) wire [16:0] \scanner.lag_of_written ;
  (* hierconn *) wire [16:0] \scanner.lag_of_examined ;
  (* hierconn *) wire [33:0] \scanner.written_lag.memory_part.words ;
  (* hierconn *) wire [33:0] \scanner.examined_lag.memory_part.words ;
  (* hierconn *) wire [16:0] \scanner.written_lag.read_data ;
  wire [33:0] written_lags = \scanner.written_lag.memory_part.words , examined_lags = \scanner.examined_lag.memory_part.words ;
  wire [1:0] last_cta = 2'd1 << \scanner.held_cta , of_held = \scanner.held ? last_cta : 2'd0;
  function [33:0] lags_of(input [1:0] of_held, input [16:0] held_lag, input [33:0] lags);
    lags_of = {of_held[1] ? held_lag : lags[33:17], of_held[0] ? held_lag : lags[16:0]};
  endfunction
  wire [33:0] lags_to_write = lags_of(of_held, \scanner.held_lag , written_lags), lags_to_examine = lags_of(of_held, \scanner.held_lag , examined_lags);
  wire [3:0] clocks = runs & {{2{ctas_launched_all[1]}}, {2{ctas_launched_all[0]}}};
  function [67:0] own_left(input [3:0] clocks, input [67:0] deadlines, input [33:0] lags, input [16:0] now);
    integer barrier;
    for (barrier = 0; barrier < 4; barrier = barrier + 1)
      own_left[17*barrier+:17] = left_of(clocks[barrier], deadlines[17*barrier+:17], now - lags[17*(barrier/2)+:17]);
  endfunction
  wire [67:0] own_to_examine = own_left(clocks, \scanner.deadline.memory_part.words , lags_to_examine, now), own_to_save = own_left(clocks, \scanner.saved.memory_part.words , lags_to_write, now);
  wire [16:0] own_of_examined = left_of(begun[\scanner.examined ] && ctas_launched_all[\scanner.examined [1]] && \scanner.attention.read_data [0],
    \scanner.deadline.read_data , now - \scanner.lag_of_examined );
  wire [16:0] own_of_saved = left_of(execute_valid && clocks[execute_key], \scanner.saved.read_data , now - \scanner.lag_of_written );
  // Both memories have the same lag of a CTA that is launched; it is what the execute stage reckons with, and what the register has of a CTA that may be held next.
  wire [33:0] of_launched = {{17{ctas_launched_all[1]}}, {17{ctas_launched_all[0]}}};
  wire [33:0] between_memories = (written_lags ^ examined_lags) & of_launched;
  wire [16:0] to_memory = ctas_launched_all[execute_cta] ? \scanner.lag_of_written ^ lags_to_write[17*execute_cta+:17] : 17'd0;
  wire [16:0] to_register = (turned & ctas_launched_all) != 0 ? \scanner.held_lag ^ written_lags[17*\scanner.held_cta +:17] : 17'd0;
  (* keep *) wire [237:0] heddle_alike_lags = {own_to_examine, own_to_save, own_of_examined, own_of_saved, between_memories, to_memory, to_register};
  (* keep *) wire heddle_invariant_lags = between_memories == 0 && to_memory == 0 && to_register == 0;
  (* keep *) wire heddle_invariant_lag_reads = !ctas_launched_all[execute_cta] || \scanner.written_lag.read_data == written_lags[17*execute_cta+:17];
  (* keep *) wire heddle_invariant_turned = turned == 0 || (!\scanner.held && last_cta == turned);
  (* keep *) wire heddle_invariant_frozen = frozen_before == 0 || of_held == frozen_before;
  // The steps of a launch follow each other, and leave no clock running.
  (* keep *) wire heddle_invariant_launches = !(second && launching) || ((\scanner.held || \scanner.held_cta == execute_cta) && attentions[4*execute_cta+:2] == 0);

  // That the barrier has changed counts for one that asked for attention. What is written once more as it stands, and what would have been written into any memory, counts if it is read.
  (* keep *) wire heddle_alike_changed = execute_valid && execute_operation == CODE_ATTEND && \scanner.changed ;
  (* hierconn *) wire [21:0] \barriers.tags.read_data ;
  (* hierconn *) wire [21:0] \barriers.afters.read_data ;
  (* hierconn *) wire [4:0] \barriers.kinds.read_data ;
  (* hierconn *) wire [3:0] \bits.visits.read_data ;
  (* hierconn *) wire [13:0] \transactions.counts.read_data ;
  wire [38:0] counted = {barriers_state, barriers_filled, barriers_sleepers, barriers_count, \bits.arrivals.read_data , \bits.visits.read_data , \ctas.used.read_data , ctas_live,
    \barriers.kinds.read_data , \scanner.attention.read_data };
  (* keep *) wire [178:0] heddle_alike_reads = {counted, barriers_configuration, \barriers.tags.read_data , \barriers.afters.read_data , \transactions.counts.read_data ,
    \scanner.deadline.read_data , \scanner.saved.read_data };

  // What asks for attention is what the state says, once its clock has been put back; all barriers of a CTA that there is have begun.
  function as_states_say(input [3:0] begun, input [3:0] owes, input [7:0] attentions, input [31:0] states);
    integer barrier;
    begin
      as_states_say = 1'b1;
      for (barrier = 0; barrier < 4; barrier = barrier + 1)
        if (begun[barrier] && attentions[2*barrier+:2] != (owes[barrier] ? 2'd0 : {states[8*barrier+6], states[8*barrier+7]})) as_states_say = 1'b0;
    end
  endfunction
  (* keep *) wire heddle_invariant_attention = as_states_say(begun, owes, attentions, \barriers.states.memory_part.words );
  (* keep *) wire heddle_invariant_state_reads = !execute_valid || barriers_state == \barriers.states.memory_part.words [execute_key*8+:8];
  (* keep *) wire heddle_invariant_stage = (!execute_valid || execute_request || second || execute_operation >= CODE_ATTEND)
    && (!execute_request || (execute_valid && execute_operation < CODE_ATTEND)) && second == (execute_valid && stepwise && execute_barrier) && (!second || !execute_request);
  (* keep *) wire heddle_invariant_examined = !begun[\scanner.examined ] || \scanner.attention.read_data == attentions[2*\scanner.examined +:2];
  (* keep *) wire heddle_invariant_begun = (!ctas_launched_all[0] || begun[1:0] == 3) && (!ctas_launched_all[1] || begun[3:2] == 3)
    && (!(second && launching) || begun[{execute_cta, 1'b0}]) && (!(execute_valid && execute_operation == CODE_ATTEND) || begun[execute_key]);
  (* keep *) wire heddle_invariant_owes = (!(execute_valid && execute_operation == CODE_ATTEND) || !owes[execute_key])
    && (!(second && exiting) || !(owes[{execute_cta, 1'b0}] || owes[{execute_cta, 1'b1}]));
