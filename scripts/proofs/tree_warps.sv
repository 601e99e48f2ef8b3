// Which warp a tree works for, which run, and which of these have a selected leaf (TD-08, TD-11).

  localparam ALONE = $bits(runners) == 1;
  wire launches_one_that_runs = runners >> launch_warp;
  wire works_for_one_that_runs = runners >> held_warp;
  wire worked_for_is_ready = ready >> held_warp;
  always @(*) if (checking && ALONE) one_warp: assume (!launch_warp && !request_warp && !held_warp);
  // A warp that runs is not launched. What is under way is of a warp that runs.
  always @(*) if (checking) launches_what_rests: assume ((!launch_valid || !launches_one_that_runs) && (idle || works_for_one_that_runs));
  // A leaf is selected for a warp that runs or is launched; one ends when the table is not idle.
  always @(*) if (checking) selects_for_who_runs: assume ((!selects || runs || launched) && (!stop || !idle));

  // 1. A warp is launched when it does not run and the table is at rest; where there is one, it never waits for that.
  always @(*) if (checking) launches_at_rest: assert ((!launched || (idle && !launches_one_that_runs && warp == launch_warp)) && (!ALONE || launched == launch_valid));
  // 2. Only a warp that runs has a selected leaf.
  always @(*) if (checking) only_who_runs_has_a_leaf: assert ((selected & ~runners) == 0);
  // 3. A warp that may issue runs, has a selected leaf, and is not the one that the table is busy with.
  always @(*) if (checking) issues_with_a_leaf: assert ((ready & ~(running & selected)) == 0 && (idle || !worked_for_is_ready));

  // A warp runs and has no leaf: it is parked.
  parks: cover property (checking && idle && runs && !present);
  // A warp is launched once more after it has ended.
  reg ended;
  always @(posedge clock) ended <= !reset && (ended || stop);
  starts_again: cover property (checking && ended && launched);
