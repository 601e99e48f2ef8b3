// What becomes of the waiting node in focus (TD-01, TD-05, TD-06).

  // An instruction acts, a child is counted or another is taken away, each in a cycle of its own. An instruction that opens a node leaves the one in focus
  // alone; no child comes and goes in one cycle.
  always @(*) one_change: assume (acts + climbs + counts <= 1 && (!(acts && opens) || !((acts && joins) || removing || adding)) && !(removing && adding));
  // Who has arrived stays; a node that waits has a child, once it has come from memory, where it has to be before it is changed, and joins are at a node.
  always @(*) nodes_make_sense: assume ((!(acts && joins) || (focus_valid && (focus_arrived & ~joined) == 0)) && (!focus_valid || !focus_ready || focus_children != 0)
    && (!((acts && joins) || removing || adding) || focus_ready));

  wire touched = (acts && joins) || removing || adding;
  // 1. A node that is changed is either written, resumed or freed; one that is not, none of these.
  always @(*) one_fate: assert (changes + resumes + frees == touched);
  // 2. It is written where it lies, and nowhere else.
  always @(*) if (changes) written_where_it_lies: assert (write_overflow == focus_memory && write_table == !focus_memory
    && {write_resume, write_above, write_kind} == {focus_resume, focus_above, focus_kind} && (focus_memory || write_node == focus_node));
  // 3. Its children are counted: it ends when the last one goes, not before (TD-05).
  always @(*) counts_children: assert ((!changes || {1'b0, write_children} == {1'b0, focus_children} + adding - removing || (adding && focus_children == 9'h1ff))
    && (resumes || frees) == (removing && focus_children == 1));
  // 4. No thread that has arrived is lost: it waits in the node, or resumes; only a node of a warp that is being saved is freed with threads (TD-06).
  wire [`THREADS-1:0] arrives = focus_arrived | (acts && joins ? joined : 8'd0);
  always @(*) if (touched) none_is_lost: assert ((frees ? !withdraws && arrives != 0 : 1'b0) == 0 && (!resumes || (arrived_next == arrives && arrives != 0))
    && (!changes || write_arrived == arrives));
  // 3. A leaf that goes is counted now or later, if there is a node above it.
  always @(*) if (acts && (empties || detaches) && leaf_rooted && focus_valid) gone_is_counted: assert (removing != removes_later);
  // 5. A node that is opened waits with nobody, and with one child.
  always @(*) if (acts && opens) opened_with_a_child: assert (write_children == 1 && write_arrived == 0 && write_overflow == opened_memory && write_table == !opened_memory
    && {write_resume, write_above, write_kind} == {opened_resume, opened_above, opened_kind} && (opened_memory || write_node == opened_node));

  // The last child arrives, and all resume.
  all_resume: cover property (acts && joins && resumes && arrived_next == 8'hff && focus_arrived == 8'h0f);
  // A node in memory loses its last child in a later cycle, with nobody there.
  frees_later: cover property (climbing && frees && vacates);
