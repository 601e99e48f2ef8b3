// Who sleeps, in which barrier and phase, and who is done (BR-04, BR-26, BR-32, BR-33, BR-44).

  // Any one thread of any block, as the ports tell.
  (* anyconst *) reg [$bits(sleep_row)-1:0] row;
  (* anyconst *) reg [$clog2($bits(sleep_mask))-1:0] thread;
  reg asleep, in_phase, is_done;
  reg [$bits(sleep_barrier)-1:0] in_barrier;
  wire sleeps = sleep_row == row && sleep_mask[thread] && !clear_enable;
  wire wakes = wake_row == row && wake_mask[thread];
  wire clears = clear_enable && sleep_row == row;
  always @(posedge clock)
    if (reset || sweeping) asleep <= 1'b0;
    else begin
      asleep <= !clears && (asleep ? !wakes : sleeps);
      if (sleeps) {in_barrier, in_phase, is_done} <= {sleep_barrier, sleep_phase, sleep_done};
    end
  // Nobody falls asleep who sleeps, nobody is woken who does not, and a launch waits for the wake-ups of the block; nothing happens in the sweep.
  always @(*) if (checking) requests_make_sense: assume ((!sleeps || !asleep) && (!wakes || asleep) && (!clears || wake_row != row || wake_mask == 0)
    && (!sweeping || (sleep_mask == 0 && wake_mask == 0 && !clear_enable)) && (!clear_enable || sleep_mask == 0));

  // 1. and 2. A release is told of a thread if and only if it sleeps in that barrier, in that phase.
  always @(*) if (checking && !sweeping && walk_row == row) walk_sees_sleepers: assert (walk_mask[thread] == (asleep && in_barrier == walk_barrier && in_phase == walk_phase));
  // 2. Of those, who is done is told apart (BR-33).
  always @(*) if (checking && !sweeping && walk_row == row) walk_tells_who_is_done: assert (walk_done[thread] == (walk_mask[thread] && is_done));
  // 3. The execution mask holds who sleeps in the barrier and has not run its section, nobody else (BR-32, BR-33).
  always @(*) if (checking && !sweeping && select_row == row) selects_participants: assert (select_mask[thread] == (asleep && in_barrier == select_barrier && !is_done));

  // A thread sleeps in the second phase of the second barrier after it was woken before.
  reg woken_before;
  always @(posedge clock) woken_before <= !reset && (woken_before || wakes);
  again: cover property (checking && woken_before && asleep && in_phase && in_barrier == 1 && walk_row == row && walk_mask[thread]);
  // One that is done.
  done_asleep: cover property (checking && asleep && is_done && walk_row == row && walk_done[thread]);

`ifdef SMALLEST
  (* hierconn *) wire [15:0] \slept.own.words ;
  (* hierconn *) wire [15:0] \slept.walk.words ;
  (* hierconn *) wire [15:0] \slept.select.words ;
  (* hierconn *) wire [15:0] \woken.own.words ;
  (* hierconn *) wire [15:0] \woken.walk.words ;
  (* hierconn *) wire [15:0] \woken.select.words ;
  (* hierconn *) wire [15:0] \woken_sleep.words ;
  (* hierconn *) wire [15:0] \done.own.words ;
  (* hierconn *) wire [15:0] \done.walk.words ;
  (* hierconn *) wire [15:0] \done.select.words ;
  (* hierconn *) wire [15:0] \phase.own.words ;
  (* hierconn *) wire [15:0] \phase.walk.words ;
  (* hierconn *) wire [15:0] \barrier_0.own.words ;
  (* hierconn *) wire [15:0] \barrier_0.walk.words ;
  (* hierconn *) wire [15:0] \barrier_0.select.words ;
  wire [3:0] at = {row, thread};
  // Nobody sleeps in the sweep.
  always @(*) if (checking && sweeping) helper_awake: assert (!asleep);
  // The copies of a bit agree; asleep is the difference of two; the sweep has cleared the rows below its own.
  always @(*) if (checking && (!sweeping || row < sweep)) helper_bits: assert (
    \slept.own.words [at] == \slept.walk.words [at] && \slept.own.words [at] == \slept.select.words [at]
    && \woken.own.words [at] == \woken.walk.words [at] && \woken.own.words [at] == \woken.select.words [at] && \woken.own.words [at] == \woken_sleep.words [at]
    && asleep == (\slept.own.words [at] ^ \woken.own.words [at])
    && (!asleep || (\done.own.words [at] == is_done && \phase.own.words [at] == in_phase && \barrier_0.own.words [at] == in_barrier
      && \done.walk.words [at] == is_done && \done.select.words [at] == is_done && \phase.walk.words [at] == in_phase
      && \barrier_0.walk.words [at] == in_barrier && \barrier_0.select.words [at] == in_barrier)));
`else
  (* hierconn *) wire [$bits(row)-1:0] \slept.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \slept.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \slept.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \slept.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \slept.select.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \slept.select.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \woken.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \woken.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \woken.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \woken.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \woken.select.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \woken.select.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \woken_sleep.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \woken_sleep.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \done.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \done.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \done.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \done.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \done.select.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \done.select.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \phase.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \phase.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \phase.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \phase.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_0.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_0.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_0.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_0.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_0.select.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_0.select.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_1.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_1.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_1.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_1.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_1.select.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_1.select.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_2.own.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_2.own.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_2.walk.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_2.walk.looked_at ;
  (* hierconn *) wire [$bits(row)-1:0] \barrier_2.select.look = row;
  (* hierconn *) wire [8*`BLOCK_THREADS-1:0] \barrier_2.select.looked_at ;
  // The copies of a bit agree; asleep is the difference of two.
  always @(*) if (checking && !sweeping) helper_bits: assert (
    \slept.own.looked_at [thread] == \slept.walk.looked_at [thread] && \slept.own.looked_at [thread] == \slept.select.looked_at [thread]
    && \woken.own.looked_at [thread] == \woken.walk.looked_at [thread] && \woken.own.looked_at [thread] == \woken.select.looked_at [thread] && \woken.own.looked_at [thread] == \woken_sleep.looked_at [thread]
    && asleep == (\slept.own.looked_at [thread] ^ \woken.own.looked_at [thread])
    && (!asleep || (\done.own.looked_at [thread] == is_done && \phase.own.looked_at [thread] == in_phase && {\barrier_2.own.looked_at [thread], \barrier_1.own.looked_at [thread], \barrier_0.own.looked_at [thread]} == in_barrier
      && \done.walk.looked_at [thread] == is_done && \phase.walk.looked_at [thread] == in_phase && {\barrier_2.walk.looked_at [thread], \barrier_1.walk.looked_at [thread], \barrier_0.walk.looked_at [thread]} == in_barrier
      && \done.select.looked_at [thread] == is_done && {\barrier_2.select.looked_at [thread], \barrier_1.select.looked_at [thread], \barrier_0.select.looked_at [thread]} == in_barrier)));
`endif
