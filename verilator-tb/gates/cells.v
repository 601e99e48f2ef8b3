// The cells that the synthesized netlists are made of, under the names that Yosys gives them: two-input gates,
// a multiplexer, and flip-flops that clock on the rising edge, with or without an enable and a synchronous reset.

module \$_AND_ (input wire A, input wire B, output wire Y);
  assign Y = A & B;
endmodule

module \$_NAND_ (input wire A, input wire B, output wire Y);
  assign Y = ~(A & B);
endmodule

module \$_OR_ (input wire A, input wire B, output wire Y);
  assign Y = A | B;
endmodule

module \$_NOR_ (input wire A, input wire B, output wire Y);
  assign Y = ~(A | B);
endmodule

module \$_XOR_ (input wire A, input wire B, output wire Y);
  assign Y = A ^ B;
endmodule

module \$_XNOR_ (input wire A, input wire B, output wire Y);
  assign Y = ~(A ^ B);
endmodule

module \$_ANDNOT_ (input wire A, input wire B, output wire Y);
  assign Y = A & ~B;
endmodule

module \$_ORNOT_ (input wire A, input wire B, output wire Y);
  assign Y = A | ~B;
endmodule

module \$_NOT_ (input wire A, output wire Y);
  assign Y = ~A;
endmodule

module \$_MUX_ (input wire A, input wire B, input wire S, output wire Y);
  assign Y = S ? B : A;
endmodule

module \$_DFF_P_ (input wire C, input wire D, output reg Q);
  always @(posedge C) Q <= D;
endmodule

module \$_DFFE_PP_ (input wire C, input wire D, input wire E, output reg Q);
  always @(posedge C) if (E) Q <= D;
endmodule

module \$_SDFF_PP0_ (input wire C, input wire D, input wire R, output reg Q);
  always @(posedge C) Q <= R ? 1'b0 : D;
endmodule

// The reset goes before the enable.
module \$_SDFFE_PP0P_ (input wire C, input wire D, input wire E, input wire R, output reg Q);
  always @(posedge C) if (R) Q <= 1'b0; else if (E) Q <= D;
endmodule

module \$_SDFF_PP1_ (input wire C, input wire D, input wire R, output reg Q);
  always @(posedge C) Q <= R ? 1'b1 : D;
endmodule

// The reset goes before the enable.
module \$_SDFFE_PP1P_ (input wire C, input wire D, input wire E, input wire R, output reg Q);
  always @(posedge C) if (R) Q <= 1'b1; else if (E) Q <= D;
endmodule
