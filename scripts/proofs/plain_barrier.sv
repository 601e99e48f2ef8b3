// The plain subset of the barrier system (BR-10 to BR-17, BR-39, BR-45).

  // Any one barrier of any CTA is watched, as the answers at the ports tell: who sleeps in it, and who lives.
  (* anyconst *) reg [$bits(cta)-1:0] watched_cta;
  (* anyconst *) reg [$bits(barrier)-1:0] watched_barrier;
  localparam MEMBERS = $bits(mask);
  wire here = cta == watched_cta;
  wire [MEMBERS-1:0] nobody = 0;
  reg launched, begun;
  reg [MEMBERS-1:0] sleeping, counted, alive;
  wire launching = full && launch && here;
  wire leaving = full && leave && here;
  wire arriving = full && arrive && here && barrier == watched_barrier;
  wire ending = release_valid && release_cta == watched_cta && release_barrier == watched_barrier;
  // Who has arrived, with those of this cycle, as the condition counts them (BR-10, BR-16).
  wire [MEMBERS-1:0] now_sleeping = arriving ? sleeping | response_sleep : sleeping;
  wire step_here = here && barrier == watched_barrier;
  always @(posedge clock)
    if (reset) launched <= 1'b0;
    else begin
      // A launch has come to the watched barrier.
      if (launching) launched <= barrier >= watched_barrier;
      if (launching && step_here) sleeping <= 0;
      if (launching) alive <= mask;
      if (leaving) alive <= alive & ~mask;
      if (arriving) sleeping <= ending ? nobody : now_sleeping;
      if (leaving && ending) sleeping <= 0;
    end
  // Requests of a CTA come after its launch; those who arrive live, and participants are among them; who exits does not sleep there. A condition is
  // 1, 2 or 3, of a number of members, and changes only while the barrier is idle (BR-17).
  always @(*) if (checking) requests_make_sense: assume (!full || !here || launch || (launched
    && (!arrive || ((mask & ~alive) == 0 && (participants & ~mask) == 0)) && (!leave || (mask & sleeping) == 0)));
  always @(*) if (checking) settings_make_sense: assume (!full || !configure || (condition != 0 && reference != 0 && reference <= MEMBERS
    && (!step_here || arrived_read_data == 0)));

  // 1. A member counts once a phase: who is told to sleep was not counted before (BR-12, BR-16).
  always @(*) if (checking && arriving) counts_once: assert ((response_sleep & sleeping) == 0 && (response_sleep & arrived_read_data) == 0);
  // 4. The answers to an arrival part its members (BR-13).
  always @(*) if (checking && full && arrive && launched && here) answers_part_the_mask: assert (
    (response_sleep | response_skip | response_wait) == mask && (response_sleep & response_skip) == 0 && (response_skip & response_wait) == 0 && (response_sleep & response_wait) == 0);
  // 1. The count is that of the arrived bits that the condition counts (BR-12, BR-16).
  reg [$clog2(MEMBERS):0] arrived_number;
  integer i;
  always @(*) begin
    arrived_number = 0;
    for (i = 0; i < MEMBERS; i = i + 1) arrived_number = arrived_number + present[i];
  end
  always @(*) if (checking) count_is_arrived: assert (number_count == arrived_number);
  // 2. A release has a sleeper (BR-45).
  always @(*) if (checking && launched && ending) release_wakes_someone: assert (now_sleeping != 0);
  // 3. A barrier in which all that live sleep is complete, under conditions 2 and 3 (BR-39): none stays like that after an arrival.
  always @(*) if (checking && arriving && launched && now_sleeping == alive && now_sleeping != 0) all_asleep_is_complete: assert (ending);
  // 3. Who has exited is not waited for under condition 1: the last living arrival completes it (BR-10, BR-39).
  always @(*) if (checking && arriving && launched && conditions_read_data == 1 && (alive & ~(arrived_read_data | mask)) == 0 && now_sleeping != 0)
    exited_are_not_waited_for: assert (ending);

  // A barrier completes because a member exits.
  completes_by_exit: cover property (checking && leaving && ending && launched);
  // A barrier completes by its number while others live.
  completes_by_number: cover property (checking && arriving && ending && conditions_read_data == 2 && now_sleeping != alive);

`ifdef SMALLEST
  (* hierconn *) wire [127:0] \asleep.words ;
  (* hierconn *) wire [127:0] \arrived.words ;
  (* hierconn *) wire [15:0] \living.words ;
  wire [4:0] watched_key = {watched_cta, watched_barrier};
  // The tables say who sleeps and who lives.
  always @(*) if (checking && launched) helper_tables: assert (\asleep.words [watched_key*4+:4] == sleeping && (\living.words [watched_cta*4+:4] == alive)
    && (sleeping & ~\arrived.words [watched_key*4+:4]) == 0 && (sleeping & ~alive) == 0);
  // A barrier that somebody has arrived in waits for more, except for the steps of an exit that have not come to it yet.
  (* hierconn *) wire [63:0] \conditions.words ;
  (* hierconn *) wire [95:0] \references.words ;
  wire [3:0] watched_arrived = \arrived.words [watched_key*4+:4];
  wire [3:0] watched_living = \living.words [watched_cta*4+:4];
  wire [2:0] watched_count = watched_arrived[0] + watched_arrived[1] + watched_arrived[2] + watched_arrived[3];
  wire watched_met = \conditions.words [watched_key*2+:2] == 1 ? (watched_living & ~watched_arrived) == 0
    : watched_count >= \references.words [watched_key*3+:3] || \asleep.words [watched_key*4+:4] == watched_living;
  always @(*) if (checking && launched && watched_arrived != 0 && !(leaving && mask != 0 && barrier <= watched_barrier)) helper_waits: assert (!watched_met);
`endif
