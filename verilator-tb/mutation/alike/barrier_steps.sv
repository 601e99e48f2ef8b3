
  // All that it keeps counts; but who has steps to do is not answered, and who is told nothing but to go on has nothing else to do.
  (* keep *) wire heddle_invariant_blank = (blank & (due_skip | due_wait)) == 0;
