
  // Only differences to `now` count, of a clock that runs: the deadline of what was written without one nobody looks at. A barrier counts from its first launch on.
  reg [3:0] begun;
  always @(posedge clock)
    if (reset) begun <= 4'd0;
    else if (act && launching) begun[execute_key] <= 1'b1;
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
  (* keep *) wire heddle_invariant_examined = !begun[\scanner.examined ] || \scanner.attention.read_data == attentions[2*\scanner.examined +:2];
  (* keep *) wire heddle_invariant_begun = (!ctas_launched_all[0] || begun[1:0] == 3) && (!ctas_launched_all[1] || begun[3:2] == 3)
    && (!(second && launching) || begun[{execute_cta, 1'b0}]) && (!(execute_valid && execute_operation == CODE_ATTEND) || begun[execute_key]);
  (* keep *) wire heddle_invariant_owes = (!(execute_valid && execute_operation == CODE_ATTEND) || !owes[execute_key])
    && (!(second && exiting) || !(owes[{execute_cta, 1'b0}] || owes[{execute_cta, 1'b1}]));
