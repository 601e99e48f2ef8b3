
  // Who waits for a kind is what its set says, once it is used; until then it is empty, whatever it holds.
  function [127:0] waiting_of(input [127:0] sets, input [15:0] used);
    integer kind;
    for (kind = 0; kind < 16; kind = kind + 1) waiting_of[8*kind+:8] = used[kind] ? sets[8*kind+:8] : 8'd0;
  endfunction
  (* hierconn *) wire [255:0] \reasons.sets_query.words ;
  (* hierconn *) wire [31:0] \reasons.used.words ;
  (* hierconn *) wire [31:0] \reasons.used_query.words ;
  wire [255:0] sets_of_all = \reasons.sets.words , sets_to_query = \reasons.sets_query.words ;
  wire [31:0] used_of_all = \reasons.used.words , used_to_query = \reasons.used_query.words ;
  (* keep *) wire [271:0] heddle_alike_waiting = {used_of_all[15:0] ^ used_to_query[15:0], waiting_of(sets_of_all[127:0], used_of_all[15:0]), waiting_of(sets_to_query[127:0], used_to_query[15:0])};
  // What an observer sees is the same as what the table looks at.
  (* hierconn *) wire [15:0] \reasons.any.words ;
  (* hierconn *) wire [15:0] \reasons.any_query.words ;
  wire [15:0] any_of_all = \reasons.any.words , any_to_query = \reasons.any_query.words ;
  (* keep *) wire heddle_invariant_queries = !runs || (any_of_all[7:0] == any_to_query[7:0] && used_of_all[15:0] == used_to_query[15:0]
    && waiting_of(sets_of_all[127:0], used_of_all[15:0]) == waiting_of(sets_to_query[127:0], used_to_query[15:0]));

  // While no leaf is selected there is room: the last one has given its node back, and whoever takes one is selected. The stack of free nodes holds those that are not used.
  (* keep *) wire heddle_invariant_stack = !runs || state == STOP || (&stacked && &copied && number_live + \core.free.count == \core.free.mark && \core.free.mark <= 8);
  (* keep *) wire heddle_invariant_room = !\core.warp_running || present || state == STOP || !\core.free_none ;
