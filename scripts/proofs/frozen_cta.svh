  // Which CTA may be frozen. Whoever includes it says who is launched (`launched_there`), and which CTA is in the execute stage (`turns`), none while one is launched.
  reg [$bits(frozen)-1:0] frozen_before, turned;
  always @(posedge clock) begin
    frozen_before <= reset ? 0 : frozen;
    turned <= reset || frozen != 0 ? 0 : turns;
  end
  // One CTA is frozen at a time, a launched one, and its request was in the execute stage in the cycle before it came to be.
  always @(*) if (checking) one_is_held: assume ((frozen & (frozen - 1'b1)) == 0 && (frozen & ~launched_there) == 0
    && ((frozen & ~frozen_before) == 0 || (frozen_before == 0 && frozen == turned)));
